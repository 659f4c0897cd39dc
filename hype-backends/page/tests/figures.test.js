// The operator's numbers: as many digits as distinguish the models, no negative zero, and nothing that is not known.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digits, ending, headline, intervalHeading, known, lasting, scale } from '../assets/figures.js';

/**
 * @import { Status } from "../page.js"
 */

/** @param {number[]} values */
const estimates = (values) => values.map((value) => ({ value, interval: null }));

test('numbers have as many digits as distinguish them', () => {
  const on = scale(estimates([195, 190]));
  assert.deepEqual([digits(195, on), digits(190, on)], ['195.00', '190.00']);
  const far = scale(estimates([1200, 100]));
  assert.deepEqual([digits(1200, far), digits(100, far)], ['1200', '100']);
});

test('rounding errors around zero are shown as zero', () => {
  const on = scale(estimates([-1e-17, 0]));
  assert.deepEqual([digits(-1e-17, on), digits(0, on)], ['0.00', '0.00']);
});

/** @param {Partial<Status>} more */
const status = (more) =>
  /** @type {Status} */ ({
    ...{ places: 8, done: 2, held: 1, active: 1, given_up: 0, free: 5, unix_ms: 1_700_000_000_000, counted: null },
    ...{ cost: { currency: 'USD', so_far: null, to_come: '9.5' }, pace: { per_hour: null, ends_unix_ms: null } },
    ...{ control: { admission: 'open' } },
    ...more,
  });

test('what is not known is unknown, and never 0', () => {
  const figures = Object.fromEntries(headline(status({})));
  for (const name of ['Left early', 'Disqualified', 'Answers', 'Earned so far']) assert.equal(figures[name], 'unknown');
  assert.equal(figures['Completed'], '2 of 8');
  const counted = {
    sessions: 3,
    completed: 2,
    disqualified: 0,
    screened_out: 0,
    left: 0,
    in_progress: 1,
    erased: 0,
    answers: 1234,
  };
  const later = Object.fromEntries(headline(status({ counted })));
  assert.deepEqual([later['Left early'], later['Answers']], ['0', '1,234']);
});

test("intervals have the study's level, and one without a width is not shown as known", () => {
  const interval = (/** @type {number} */ level) => ({ low: 1, high: 2, level, method: 'percentile' });
  assert.equal(intervalHeading([{ interval: null }, { interval: interval(0.9) }]), '90 % interval');
  assert.equal(intervalHeading([{ interval: interval(0.975) }]), '97.5 % interval');
  assert.equal(intervalHeading([{ interval: null }]), 'Interval');
  assert.equal(known({ interval: { ...interval(0.95), low: 195, high: 195 } }), null);
  assert.equal(known({ interval: interval(0.95) })?.low, 1);
});

test('durations are told in the units that fit', () => {
  const told = [0, 59, 60, 3_599, 3_600, 7_500, 86_400, 90_000, 700_000].map(lasting);
  assert.deepEqual(told, ['0 s', '59 s', '1 min', '1 h', '1 h', '2 h 5 min', '1 d', '1 d 1 h', '8 d 2 h']);
});

test('the end is told where it is known', () => {
  const paced = status({ pace: { per_hour: 2.5, ends_unix_ms: 1_700_007_200_000 } });
  assert.equal(ending(paced, 'UTC'), '2.5 completed per hour, ends in about 2 h (Wed 15 Nov, 00:13)');
  assert.equal(ending(status({})), 'Pace unknown, end unknown');
  assert.equal(ending(status({ done: 7, given_up: 1 })), 'Every place is settled');
  const admission = (/** @type {"paused" | "closed"} */ admission) =>
    status({ control: { ...status({}).control, admission } });
  assert.equal(ending(admission('paused')), 'The study is paused');
  assert.equal(ending(admission('closed')), 'The study is closed');
});
