// The figures of recruiting: money in its currency, what is not known as a dash, and words for what has to be decided.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  amounts,
  asked,
  people,
  places,
  spent,
  tabTitle,
  taken,
  toDecide,
  waitingNow,
  whoWaits,
  whyItWaits,
  whyUnsettled,
} from '../assets/operator/crowd-figures.js';
import { midway } from './mock/operator.js';

/**
 * @import { CrowdMoney, CrowdOverview } from "../page.js"
 */

const seen = midway();

/** @param {Partial<CrowdMoney>} more */
const money = (more) => ({ ...seen.money, ...more });

test('people are counted by what became of their work', () => {
  const figures = people(seen).map(([what, number]) => `${what} ${number}`);
  assert.deepEqual(figures.slice(0, 4), ['Recruited 31', 'Not listed yet 1', 'Working 4', 'To review 3']);
  assert.deepEqual(figures.slice(4), ['Approved 22', 'Rejected 1', 'Returned 2', 'Finished 25']);
  assert.equal(places(seen), '5 places have to be filled; 5 can still be filled through the listings.');
  assert.match(places({ ...seen, needed: 1, offered: 0 }), /^1 place has to be filled; 0 can/);
  assert.equal(places({ ...seen, needed: 0 }), 'No more places have to be filled.');
});

test('money has its currency, and pay that is not known is a dash', () => {
  const figures = Object.fromEntries(amounts(seen.money));
  assert.deepEqual(figures, {
    ...{ Paid: '$36.50', Fees: '$12.15', Promised: '$1.50', Unclear: '$2.40', 'Hourly pay so far': '$7.20' },
  });
  const pounds = Object.fromEntries(amounts(money({ currency: 'GBP', hourly: null })));
  assert.deepEqual([pounds['Paid'], pounds['Hourly pay so far']], ['£36.50', '–']);
});

test('what is spent is told with the limit', () => {
  assert.equal(spent(seen.money), '$52.55 of $80.00 spent or promised, with fees (66%)');
  assert.equal(spent(money({ limit: null })), '$52.55 spent or promised, with fees. The spec sets no limit.');
  assert.equal(spent(money({ limit: 0, committed: 0 })), '$0.00 of $0.00 spent or promised, with fees');
});

test('pay below what the panel asks for is named', () => {
  const text = 'Prolific asks for at least $8.00 an hour and recommends $12.00.';
  assert.deepEqual(asked(seen.money, 'Prolific'), { isLess: true, text: `Raters earn less: ${text}` });
  for (const hourly of [8, 30, null]) assert.deepEqual(asked(money({ hourly }), 'Prolific'), { isLess: false, text });
  assert.equal(
    asked(money({ hourly_recommended: null }), 'P')?.text,
    'Raters earn less: P asks for at least $8.00 an hour.',
  );
  assert.equal(asked(money({ hourly_least: null }), 'Mechanical Turk'), null);
});

test('the tab says what waits, and that something is wrong', () => {
  /** @type {CrowdOverview} */
  const crowd = { panel: 'Prolific', not_reached: null, seen };
  assert.equal(tabTitle(crowd), 'Crowd (3 to decide)');
  assert.equal(toDecide({ ...crowd, seen: { ...seen, waiting_left_out: 7, unsettled_left_out: 1 } }), 11);
  const calm = { ...seen, waiting: [], unsettled: [] };
  assert.equal(tabTitle({ ...crowd, seen: calm }), 'Crowd');
  assert.equal(tabTitle({ ...crowd, seen: { ...calm, problems: ['limit'] } }), 'Crowd (problems)');
  const lost = { reason: 'refused', since_unix_ms: 0 };
  assert.equal(tabTitle({ ...crowd, not_reached: lost }), 'Crowd (3 to decide, problems)');
  assert.equal(tabTitle({ ...crowd, seen: null }), 'Crowd');
  assert.equal(tabTitle(null), 'Crowd');
});

test('reasons are told in words', () => {
  assert.equal(whyItWaits({ why: 'the operator reviews all work', failed: [] }), 'the operator reviews all work');
  assert.equal(whyItWaits({ why: 'held', failed: ['gold', 'catch'] }), 'held; fails gold, catch');
  assert.equal(taken({ listing: 0, state: 'open', places: 1, taken: 0 }), '0 of 1 place taken');
  const [payment] = seen.unsettled;
  assert.ok(payment);
  assert.equal(whyUnsettled(payment), 'the platform does not say whether it was made');
  assert.equal(whyUnsettled({ ...payment, why: null }), 'it is unknown whether it was made');
  assert.equal(whyUnsettled({ ...payment, why: null, state: 'by-hand' }), 'not paid yet');
});

test('the waiting room says who waits, and for what', () => {
  const room = { waiting: 2, raters: 3, is_called: false };
  assert.equal(waitingNow(room), '2 of 3');
  assert.match(whoWaits(room), /^3 raters at most can come in/);
  assert.match(whoWaits({ ...room, raters: 1 }), /^1 rater at most/);
  assert.match(whoWaits({ ...room, is_called: true }), /begin at once/);
});
