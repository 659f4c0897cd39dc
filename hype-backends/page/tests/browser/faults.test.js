// Deliberate single faults of the network and the server: nothing is lost, and the rater knows what is saved.

import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { offer, templates } from '../mock/study.js';
import { Bench } from './bench.js';
import { Person } from './person.js';
import { act, arriveAt, faultsOf } from './raters.js';

offer('two', templates('untimed').slice(0, 2));
const bench = await Bench.open();
afterEach(() => bench.leave());
after(() => bench.close());

test('a reload of the consent page preserves the parameters of the address', async () => {
  const page = await bench.rater({ study: 'untimed', PROLIFIC_PID: 'abc' });
  await arriveAt(page, 'consent');
  assert.equal(new URL(page.url()).search, '');
  await page.reload();
  await new Person(page).consent();
  await arriveAt(page, 'instructions');
  assert.deepEqual(bench.mock.last.arrival, { study: 'untimed', PROLIFIC_PID: 'abc' });
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
});

test('an unsent answer survives a reload, and nothing is asked twice', async () => {
  const page = await bench.rater({ study: 'untimed' });
  const person = new Person(page);
  await person.begin();
  const place = await person.settled();
  await page.route('**/api/answer', (route) => route.abort());
  await person.answer(place);
  await page.locator('.save-status[data-state=waiting]').waitFor();
  page.on('dialog', (dialog) => dialog.accept());
  await page.unroute('**/api/answer');
  await page.reload();
  await person.settled(place);
  assert.equal(bench.mock.last.taken.length, 1);
});

test('a lost acknowledgement is requested again, and the answer counts once', async () => {
  const page = await bench.rater({ study: 'untimed' });
  const person = new Person(page);
  await person.begin();
  const place = await person.settled();
  let lost = 0;
  await page.route('**/api/answer', async (route) => {
    if (lost > 0) return route.continue();
    lost += 1;
    await route.fetch();
    return route.abort();
  });
  await person.answer(place);
  await person.settled(place);
  assert.equal(bench.mock.last.taken.length, 1);
  assert.equal(bench.mock.last.repeated, 1);
});

test('transient faults are waited out: 503, and 429 with retry-after', async () => {
  const page = await bench.rater({ study: 'untimed' });
  const person = new Person(page);
  await person.begin();
  const place = await person.settled();
  bench.mock.mode.faults = [
    { action: 'answer', status: 503, code: 'unavailable' },
    { action: 'answer', status: 429, code: 'too-many', retry_after: 1 },
  ];
  await person.answer(place);
  await person.settled(place);
  assert.equal(bench.mock.last.taken.length, 1);
});

test('a rater who comes in a crowd is told so, and enters later without doing anything', async () => {
  const page = await bench.rater({ study: 'untimed' });
  const person = new Person(page);
  const crowded = { action: 'consent', status: 429, code: 'crowded', retry_after: 2 };
  bench.mock.mode.faults = [crowded, crowded];
  await person.consent();
  await arriveAt(page, 'crowded');
  assert.match((await page.locator('main').textContent()) ?? '', /Many people are entering just now/);
  await arriveAt(page, 'instructions');
  assert.deepEqual(faultsOf(page), []);
});

test('after a refused answer the form returns with the reason', async () => {
  const page = await bench.rater({ study: 'untimed' });
  const person = new Person(page);
  await person.begin();
  const place = await person.settled();
  bench.mock.mode.faults = [{ action: 'answer', status: 422, code: 'refused' }];
  await person.answer(place);
  await page.locator('.asking .fault', { hasText: 'on purpose' }).waitFor();
  assert.deepEqual(await person.settled(), place);
  await person.answer(place);
  await person.settled(place);
});

test('a session at another trial is reopened', async () => {
  const page = await bench.rater({ study: 'untimed' });
  const person = new Person(page);
  await person.begin();
  const place = await person.settled();
  bench.mock.mode.faults = [{ action: 'answer', status: 409, code: 'not-this-trial' }];
  await person.answer(place);
  await page.waitForFunction(() => document.body.dataset['at'] === 'asking');
  assert.deepEqual(await person.settled(), place);
  assert.deepEqual(faultsOf(page), []);
});

test('after a malformed request the page admits its fault and offers a reload', async () => {
  const page = await bench.rater({ study: 'untimed' });
  const person = new Person(page);
  await person.begin();
  const place = await person.settled();
  bench.mock.mode.faults = [{ action: 'answer', status: 400, code: 'bad-request' }];
  await person.answer(place);
  await arriveAt(page, 'trouble');
  await act(page, 'reload');
  assert.deepEqual(await person.settled(), place);
});

test('a page whose database is denied works from memory', async () => {
  const page = await bench.rater({ study: 'two' });
  await page.addInitScript(() => {
    Object.defineProperty(globalThis, 'indexedDB', { get: () => undefined });
  });
  await page.reload();
  const person = new Person(page);
  await person.begin();
  await person.playToEnd();
  assert.equal(bench.mock.last.at, 'completed');
});

test('the page redirects only after the last answer is acknowledged', async () => {
  const page = await bench.rater({ study: 'two', redirect: `${bench.mock.url}assets/icon.svg` });
  const person = new Person(page);
  await person.begin();
  let place = await person.settled();
  await person.answer(place);
  place = await person.settled(place);
  // What the page tries by itself fails, however long the press takes on a busy machine.
  let isPressed = false;
  await page.exposeFunction('press', () => void (isPressed = true));
  await page.route('**/api/answer', (route) => (isPressed ? route.continue() : route.abort()));
  await person.answer(place);
  await page.locator('.save-status[data-state=waiting]').waitFor();
  await page.locator('[data-action=hurry]').evaluate((button) => {
    const { press } = /** @type {typeof window & { press: () => Promise<void> }} */ (window);
    button.addEventListener('click', () => void press(), { capture: true });
  });
  await act(page, 'hurry');
  await arriveAt(page, 'end');
  assert.equal(bench.mock.last.at, 'completed');
  await act(page, 'redirect');
  await page.waitForURL('**/icon.svg');
});

test('the page reports that an image cannot be loaded', async () => {
  const page = await bench.rater({ study: 'untimed' });
  await page.route('**/image/**', (route) => route.fulfill({ status: 200, contentType: 'image/png', body: 'none' }));
  const person = new Person(page);
  await person.begin();
  await arriveAt(page, 'trouble');
  assert.match(await page.locator('main').innerText(), /image could not be loaded/);
  await page.unroute('**/image/**');
  await act(page, 'reload');
  await person.settled();
});
