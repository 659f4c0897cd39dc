// The crowd's tab of the operator's page: by mouse, by keyboard, for readers, on screens from 320 pixels, light and dark. In `./test` axe
// looks at the narrowest screen in the dark and at a desktop in the light.

import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { KEYS, OperatorSide, REASON, midway } from '../mock/operator.js';
import { sized } from '../size.js';
import { examine } from './axe.js';
import { Bench } from './bench.js';
import { DESKTOP, PHONE, faultsOf, isTooWide } from './raters.js';

/**
 * @import { Page } from "playwright-core"
 */

const bench = await Bench.open();
let side = new OperatorSide();
beforeEach(() => (bench.mock.operator = side = new OperatorSide()));
afterEach(() => bench.leave());
after(() => bench.close());

const NARROW = { width: 320, height: 700 };
const WIDE = { width: 1920, height: 1080 };

/** The operator's page at its tab. @param {"operator" | "reader"} role */
async function opened(role = 'operator') {
  const page = await bench.raters.rater(`${bench.mock.url}operator#${KEYS[role]}`);
  await page.getByRole('tab', { name: 'Crowd' }).click();
  await page.getByRole('heading', { name: 'Recruiting' }).waitFor();
  return page;
}

/** @param {Page} page @param {string} name */
async function examineAll(page, name) {
  for (const viewport of [NARROW, PHONE, DESKTOP, WIDE]) {
    await page.setViewportSize(viewport);
    assert.equal(await isTooWide(page), false, `${name} is wider than ${viewport.width} pixels`);
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      if (!sized(true, viewport === (colorScheme === 'dark' ? NARROW : DESKTOP))) continue;
      await page.emulateMedia({ colorScheme });
      const isNamed = viewport === PHONE || viewport === DESKTOP;
      await examine(page, `${name}${isNamed ? '' : `-${viewport.width}`}${colorScheme === 'dark' ? '-dark' : ''}`);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(DESKTOP);
}

/** What was decided. */
const decisions = () => side.acts.map(({ act }) => (act.kind === 'crowd' ? act.decision : act));

/** A figure by its heading. @param {Page} page @param {string} what */
const figure = (page, what) =>
  page
    .locator('.figures > div:visible', { has: page.locator('dt', { hasText: new RegExp(`^${what}$`) }) })
    .locator('dd');

/** Presses the button of the dialog. @param {Page} page @param {string} verb */
async function confirm(page, verb) {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: verb, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

test('the tab shows how recruiting goes, on every screen', async () => {
  const page = await opened();
  const shown = { Recruited: '31', Returned: '2', Paid: '$36.50', Fees: '$12.15', 'Hourly pay so far': '$7.20' };
  for (const [what, number] of Object.entries(shown)) assert.equal(await figure(page, what).innerText(), number);
  await page.getByText('$52.55 of $80.00 spent or promised').waitFor();
  await page.getByText('Raters earn less: Prolific asks for at least $8.00 an hour').waitFor();
  assert.equal(await page.getByRole('progressbar', { name: 'Spent of the limit' }).count(), 1);
  await page.getByRole('row').filter({ hasText: 'Listing 2' }).getByText('4 of 9 places taken').waitFor();
  const selected = page.getByRole('tab', { selected: true });
  assert.equal(await selected.innerText(), 'Crowd (3 to decide)');
  await examineAll(page, 'operator-crowd');
  await page.reload();
  await page.getByRole('heading', { name: 'Recruiting' }).waitFor();
  assert.deepEqual(faultsOf(page), []);
});

test('the operator approves, rejects with a reason, settles and pays', async () => {
  const page = await opened();
  await page.getByRole('button', { name: 'Approve p000003-001' }).click();
  await examineAll(page, 'operator-crowd-approve');
  await confirm(page, 'Approve');
  await page.getByRole('button', { name: 'Approve p000003-001' }).waitFor({ state: 'detached' });
  await page.getByText('Done: approved p000003-001.').waitFor();

  await page.getByRole('button', { name: 'Reject u7f3a9c' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').pressSequentially('Too short.');
  await dialog.getByText('90 more characters are needed.').waitFor();
  await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
  assert.equal(await dialog.isVisible(), true, 'the reason is too short');
  assert.equal(side.acts.length, 1);
  await dialog.getByRole('textbox').fill(REASON);
  await examineAll(page, 'operator-crowd-reject');
  await confirm(page, 'Reject');
  await page.getByRole('heading', { name: 'Work to decide on' }).waitFor({ state: 'hidden' });

  await page.getByRole('button', { name: 'It was not made: bonus of p000008-000' }).click();
  await dialog.getByText('If it was made after all, the rater is paid twice.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'It was made: bonus of p000008-000' }).click();
  await confirm(page, 'It was made');
  await page.getByRole('heading', { name: 'Payments to settle' }).waitFor({ state: 'hidden' });

  await page.getByRole('button', { name: 'Pay now' }).click();
  await confirm(page, 'Pay now');
  await page.getByText('Done: paid what is due.').waitFor();
  assert.equal(await page.getByRole('tab', { selected: true }).innerText(), 'Crowd');
  assert.deepEqual(decisions(), [
    { kind: 'approve', work: 'p000003-001' },
    { kind: 'reject', work: 'u7f3a9c', reason: REASON },
    { kind: 'settle', payment: { session: 'p000008-000', purpose: 'bonus' }, sendings: 2, made: 'made' },
    { kind: 'pay' },
  ]);
  assert.deepEqual(faultsOf(page), []);
});

test('the operator sees who waits, and lets them begin', async () => {
  side.waiting = { waiting: 2, raters: 3, is_called: false };
  const reader = await opened('reader');
  assert.equal(await figure(reader, 'Waiting').innerText(), '2 of 3');
  assert.equal(await reader.getByRole('button', { name: 'Begin now' }).count(), 0);
  const page = await opened();
  const begin = page.getByRole('button', { name: 'Begin now' });
  await begin.click();
  await examineAll(page, 'operator-crowd-call');
  await confirm(page, 'Begin now');
  await page.getByText('those who come begin at once').waitFor();
  assert.equal(await begin.isDisabled(), true, 'a call is never taken back');
  await examineAll(page, 'operator-crowd-called');
  assert.deepEqual(decisions(), [{ kind: 'call' }]);
  assert.deepEqual(faultsOf(page), []);
});

test('everything is done by keyboard', async () => {
  const page = await bench.raters.rater(`${bench.mock.url}operator#${KEYS.operator}`);
  await page.getByRole('tab', { name: 'Study' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.getByRole('tab', { name: /^Crowd/, selected: true }).count(), 1);
  await page.keyboard.press('Home');
  assert.equal(await page.getByRole('tab', { name: 'Study', selected: true }).count(), 1);
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('heading', { name: 'Recruiting' }).waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
  for (let presses = 0; presses < 12 && (await focused()) !== 'Approve u7f3a9c'; presses += 1) {
    await page.keyboard.press('Tab');
  }
  assert.equal(await focused(), 'Approve u7f3a9c');
  // While the dialog is open, other news come.
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  side.tell();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByText('Done: approved u7f3a9c.').waitFor();
  // The button has gone, and its list is where the reader continues.
  await page.waitForFunction(() => {
    const { activeElement: at, body } = document;
    return at !== body && at?.textContent?.includes('p000003-001');
  });
  assert.deepEqual(decisions(), [{ kind: 'approve', work: 'u7f3a9c' }]);
});

test('a request that failed is sent again under its name, and a decision that waits is told', async () => {
  const page = await opened();
  side.refusal = 'the store fails';
  await page.getByRole('button', { name: 'Approve p000003-001' }).click();
  const dialog = page.getByRole('dialog');
  const verb = dialog.getByRole('button', { name: 'Approve', exact: true });
  await verb.click();
  await dialog.getByText('the store fails').waitFor();
  side.pending = 'Prolific cannot be reached to approve a submission: 503';
  await verb.click();
  await dialog.getByText('It is decided, and Prolific has not carried it out yet.').waitFor();
  await examine(page, 'operator-crowd-pending');
  await dialog.getByRole('button', { name: 'Close' }).click();
  const [first, second] = side.acts;
  assert.equal(side.acts.length, 2);
  assert.equal(first?.id, second?.id);
  assert.match(first?.id ?? '', /^[0-9a-f]{32}$/);
});

test('readers see everything, and no buttons', async () => {
  const page = await opened('reader');
  await page.getByRole('row').filter({ hasText: 'p000003-001' }).waitFor();
  await page.getByRole('row').filter({ hasText: 'p000008-000' }).waitFor();
  assert.equal(await page.locator('main button:visible:not([role=tab])').count(), 0);
  await examineAll(page, 'operator-crowd-reader');
});

test('problems are told in words, also before the panel was asked', async () => {
  const lost = {
    reason: 'Prolific cannot be reached to read a study: connection refused',
    since_unix_ms: 1_788_220_800_000,
  };
  side.crowd = { panel: 'Prolific', not_reached: lost, seen: null };
  const page = await bench.raters.rater(`${bench.mock.url}operator#${KEYS.operator}`);
  await page.getByRole('tab', { name: 'Crowd (problems)' }).click();
  await page.getByText('Prolific was not asked yet.').waitFor();
  await page.getByText(/^Prolific has not been reached since/).waitFor();
  await examineAll(page, 'operator-crowd-lost');
  side.crowd = { ...side.crowd, seen: { ...midway(), problems: ['p000003-001/bonus: 1.20 would exceed the limit'] } };
  side.tell();
  await page.getByText('What is shown is from before.').waitFor();
  await page.getByText('would exceed the limit').waitFor();
  side.crowd = { panel: 'Prolific', not_reached: null, seen: midway() };
  side.tell();
  await page.getByRole('tab', { name: 'Crowd (3 to decide)' }).waitFor();
  assert.equal(await page.getByRole('alert').filter({ hasText: 'reached' }).count(), 0);
});

test('where people are paid by hand, the operator says what was paid', async () => {
  const seen = { ...midway(), reason: null, waiting: [], listings: [] };
  seen.unsettled = seen.unsettled.map((payment) => ({ ...payment, state: 'by-hand', sendings: 0, why: null }));
  side.crowd = { panel: 'SONA', not_reached: null, seen };
  const page = await opened();
  await page.getByText('SONA has no interface for programs.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Pay now' }).count(), 0);
  assert.equal(await page.getByRole('button', { name: /^It was not made/ }).count(), 0);
  await examine(page, 'operator-crowd-by-hand');
  await page.getByRole('button', { name: 'It was made: bonus of p000008-000' }).click();
  await confirm(page, 'It was made');
  assert.equal(side.acts.length, 1);
});

test('a study without a panel has no tab for it', async () => {
  side.crowd = null;
  const page = await bench.raters.rater(`${bench.mock.url}operator#${KEYS.operator}`);
  await page.getByText('of 30 places').waitFor();
  assert.equal(await page.getByRole('tab', { name: /^Crowd/ }).count(), 0);
  assert.equal(await page.getByRole('tab', { name: 'Study', selected: true }).count(), 1);
});
