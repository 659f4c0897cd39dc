// Nothing is lost: reloads, second tabs, outages, refusals; and the rater knows what is saved.

import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { Bench, act, arriveAt, begin, consent, faultsOf } from './bench.js';
import { answer, playToEnd, settled } from './play.js';

const bench = await Bench.open();
afterEach(async () => {
  await bench.leave();
  if (bench.mock !== null) bench.mock.mode = { slow_ms: 0, offline: false, faults: [] };
});
after(() => bench.close());

const inside = { skip: bench.mock === null ? 'needs the mock server' : false };

test('a reload resumes at the same trial', async () => {
  const page = await bench.rater({ study: 'untimed' });
  await begin(page);
  const first = await settled(page);
  await answer(page, first, 'mouse');
  const second = await settled(page, first);
  await page.reload();
  assert.deepEqual(await settled(page), second);
});

test('a reload of the consent page does not forget where the rater came from', inside, async () => {
  const page = await bench.rater({ study: 'untimed', PROLIFIC_PID: 'abc' });
  await arriveAt(page, 'consent');
  assert.equal(new URL(page.url()).search, '');
  await page.reload();
  await consent(page);
  await arriveAt(page, 'instructions');
  assert.deepEqual(bench.inside.last.arrival, { study: 'untimed', PROLIFIC_PID: 'abc' });
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
});

test('a second tab takes over, the first says so and can take it back', async () => {
  const first = await bench.rater({ study: 'untimed' });
  await begin(first);
  const place = await settled(first);
  const second = await bench.visit(await first.context().newPage());
  assert.deepEqual(await settled(second), place);
  await arriveAt(first, 'taken-over');
  await act(first, 'take-back');
  assert.deepEqual(await settled(first), place);
  await arriveAt(second, 'taken-over');
});

test('a tab that hears nothing of another one is told by the server', inside, async () => {
  const page = await bench.rater({ study: 'untimed' });
  await begin(page);
  const place = await settled(page);
  bench.inside.last.tab = 'f'.repeat(32);
  await answer(page, place, 'mouse');
  await arriveAt(page, 'taken-over');
  await act(page, 'take-back');
  // The answer was kept, and goes out with the tab that has the session now.
  const next = await settled(page);
  assert.notDeepEqual(next, place);
  assert.equal(bench.inside.last.taken.length, 1);
});

test('an answer given while the network is away for half a minute is kept, told and saved', async () => {
  const page = await bench.rater({ study: 'untimed' });
  await begin(page);
  const place = await settled(page);
  await page.clock.install();
  await page.route('**/api/**', (route) => route.abort());
  await answer(page, place, 'mouse');
  const status = page.locator('.save-status');
  await page.locator('.save-status[data-state=waiting]').waitFor();
  assert.match((await status.innerText()).trim(), /not saved yet/);
  for (let second = 0; second < 30; second += 1) await page.clock.runFor(1000);
  assert.equal(await status.getAttribute('data-state'), 'waiting');
  const warned = await page.evaluate(() => {
    const leaving = new Event('beforeunload', { cancelable: true });
    dispatchEvent(leaving);
    return leaving.defaultPrevented;
  });
  assert.equal(warned, true);
  await page.unroute('**/api/**');
  await act(page, 'hurry');
  await page.clock.resume();
  await settled(page, place);
  await page.locator('.save-status[data-state=saved]').waitFor({ state: 'attached' });
});

test('an answer that was not sent survives a reload, and nothing is asked twice', inside, async () => {
  const page = await bench.rater({ study: 'untimed' });
  await begin(page);
  const place = await settled(page);
  await page.route('**/api/answer', (route) => route.abort());
  await answer(page, place, 'mouse');
  await page.locator('.save-status[data-state=waiting]').waitFor();
  page.on('dialog', (dialog) => dialog.accept());
  await page.unroute('**/api/answer');
  await page.reload();
  await settled(page, place);
  assert.equal(bench.inside.last.taken.length, 1);
});

test('an acknowledgement that got lost is asked for again, and counts once', inside, async () => {
  const page = await bench.rater({ study: 'untimed' });
  await begin(page);
  const place = await settled(page);
  let lost = 0;
  await page.route('**/api/answer', async (route) => {
    if (lost > 0) return route.continue();
    lost += 1;
    await route.fetch();
    return route.abort();
  });
  await answer(page, place, 'mouse');
  await settled(page, place);
  assert.equal(bench.inside.last.taken.length, 1);
  assert.equal(bench.inside.last.repeated, 1);
});

test('faults that pass are waited out: 503, and 429 with retry-after', inside, async () => {
  const page = await bench.rater({ study: 'untimed' });
  await begin(page);
  const place = await settled(page);
  bench.inside.mode.faults = [
    { action: 'answer', status: 503, code: 'unavailable' },
    { action: 'answer', status: 429, code: 'too-many', retry_after: 1 },
  ];
  await answer(page, place, 'mouse');
  await settled(page, place);
  assert.equal(bench.inside.last.taken.length, 1);
});

test('a refused answer brings the form back with the reason', inside, async () => {
  const page = await bench.rater({ study: 'untimed' });
  await begin(page);
  const place = await settled(page);
  bench.inside.mode.faults = [{ action: 'answer', status: 422, code: 'refused' }];
  await answer(page, place, 'mouse');
  await page.locator('.asking .fault', { hasText: 'on purpose' }).waitFor();
  assert.deepEqual(await settled(page), place);
  await answer(page, place, 'mouse');
  await settled(page, place);
});

test('a session whose place moved on is opened anew', inside, async () => {
  const page = await bench.rater({ study: 'untimed' });
  await begin(page);
  const place = await settled(page);
  bench.inside.mode.faults = [{ action: 'answer', status: 409, code: 'not-this-trial' }];
  await answer(page, place, 'mouse');
  await page.waitForFunction(() => document.body.dataset['at'] === 'asking');
  assert.deepEqual(await settled(page), place);
  assert.deepEqual(faultsOf(page), []);
});

test('a request that is none makes the page own up and offer a reload', inside, async () => {
  const page = await bench.rater({ study: 'untimed' });
  await begin(page);
  const place = await settled(page);
  bench.inside.mode.faults = [{ action: 'answer', status: 400, code: 'bad-request' }];
  await answer(page, place, 'mouse');
  await arriveAt(page, 'trouble');
  await act(page, 'reload');
  assert.deepEqual(await settled(page), place);
});

test('a page whose database is denied works from memory', inside, async () => {
  const page = await bench.rater({ study: 'untimed' });
  await page.addInitScript(() => {
    Object.defineProperty(globalThis, 'indexedDB', { get: () => undefined });
  });
  await page.reload();
  await begin(page);
  await playToEnd(page, 'mouse');
  assert.equal(bench.inside.last.at, 'completed');
});

test('a reload in the midst of a timed presentation voids it', inside, async () => {
  const page = await bench.rater({ study: 'timed' });
  await begin(page);
  const rest = await settled(page);
  await answer(page, rest, 'mouse');
  await answer(page, await settled(page, rest), 'mouse');
  await page.waitForFunction(() => document.body.dataset['at'] === 'showing');
  await page.waitForTimeout(300);
  await page.reload();
  await settled(page);
  const [report] = bench.inside.last.taken;
  assert.equal(report?.to, 'disturbed');
  assert.equal(bench.inside.last.showing, 1);
});

test('a rater withdraws after one question, and has left', async () => {
  const page = await bench.rater({ study: 'untimed' });
  await begin(page);
  await settled(page);
  await act(page, 'withdraw');
  await page.locator('dialog [data-action=stay]').click();
  await settled(page);
  await act(page, 'withdraw');
  await page.keyboard.press('r');
  await page.locator('dialog [data-action=leave]').click();
  await arriveAt(page, 'end');
  assert.equal(await page.locator('main > [data-ending]').getAttribute('data-ending'), 'left');
  if (bench.mock !== null) assert.equal(bench.mock.last.taken.length, 0);
});

test('whoever declines leaves nothing behind and can come back', async () => {
  const page = await bench.rater({ study: 'untimed' });
  await arriveAt(page, 'consent');
  await act(page, 'agree');
  await page.locator('.fault:visible').waitFor();
  await act(page, 'decline');
  await arriveAt(page, 'declined');
  assert.deepEqual(await page.context().cookies(), []);
  await act(page, 'back');
  await arriveAt(page, 'consent');
});

test('the way back is taken only after the last answer is acknowledged', inside, async () => {
  const page = await bench.rater({ study: 'untimed', redirect: `${bench.inside.url}assets/icon.svg` });
  await begin(page);
  let place = await settled(page);
  while (place.trial !== '7.0') {
    await answer(page, place, 'mouse');
    place = await settled(page, place);
  }
  await page.route('**/api/answer', (route) => route.abort());
  await answer(page, place, 'mouse');
  await page.locator('.save-status[data-state=waiting]').waitFor();
  await page.unroute('**/api/answer');
  await act(page, 'hurry');
  await arriveAt(page, 'end');
  assert.equal(bench.inside.last.at, 'completed');
  await act(page, 'redirect');
  await page.waitForURL('**/icon.svg');
});

test('an image that cannot be loaded is told plainly', inside, async () => {
  const page = await bench.rater({ study: 'untimed' });
  await page.route('**/image/**', (route) => route.fulfill({ status: 200, contentType: 'image/png', body: 'none' }));
  await begin(page);
  await arriveAt(page, 'trouble');
  assert.match(await page.locator('main').innerText(), /image could not be loaded/);
  await page.unroute('**/image/**');
  await act(page, 'reload');
  await settled(page);
});
