// Raters who come from a panel: previews, frames, windows that are opened from them, and the ways back.

import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { LOCALES, sized } from '../size.js';
import { examine } from './axe.js';
import { Bench } from './bench.js';
import { frameOf, inside, shows } from './framed.js';
import { Person } from './person.js';
import { Platform } from './platform.js';
import { PATIENCE, arriveAt, faultsOf } from './raters.js';

/**
 * @import { Frame, Page } from "playwright-core"
 */

const bench = await Bench.open();
const platform = await new Platform().start();
beforeEach(() => {
  bench.mock.mode.panel = platform.origin;
  platform.handedIn = [];
});
afterEach(() => bench.leave());
after(async () => {
  await bench.close();
  await platform.stop();
});

/** A new worker's parameters. @param {string} workerId @returns {Record<string, string>} */
const worker = (workerId) => ({ workerId, assignmentId: `A of ${workerId}`, turkSubmitTo: platform.origin });

/**
 * The platform with the task in a frame.
 * @param {Record<string, string>} arrival
 * @returns {Promise<{ page: Page, frame: Frame }>}
 */
async function framed(arrival) {
  const address = new URL(bench.mock.url);
  for (const [name, value] of Object.entries(arrival)) address.searchParams.set(name, value);
  platform.task = address.href;
  const page = await bench.raters.rater(platform.origin);
  return { page, frame: await frameOf(page) };
}

for (const locale of sized(LOCALES, ['ar'])) {
  const name = (/** @type {string} */ screen) => (locale === 'en' ? screen : `${locale}-${screen}`);

  test(`${locale}: a preview says what the task is, and lets no one begin`, async () => {
    const before = bench.mock.sessions.size;
    const arrival = { assignmentId: 'ASSIGNMENT_ID_NOT_AVAILABLE', hitId: 'H' };
    for (const study of ['untimed', 'timed']) {
      const page = await bench.rater({ ...arrival, study }, { locale });
      await arriveAt(page, 'preview');
      assert.equal(await page.locator('main button').count(), 0);
      await examine(page, name(`preview-${study}`));
      assert.deepEqual(faultsOf(page), []);
      assert.deepEqual(await page.context().cookies(), []);
    }
    assert.equal(bench.mock.sessions.size, before);
  });

  test(`${locale}: a person who declines returns to the panel`, async () => {
    const page = await bench.rater({ study: 'untimed', declined: 'D3CL1NED', redirect: platform.origin }, { locale });
    await arriveAt(page, 'consent');
    await page.locator('[data-action=decline]').click();
    await arriveAt(page, 'declined');
    assert.equal(await page.locator('.code').textContent(), 'D3CL1NED');
    await examine(page, name('declined-panel'));
    await page.locator('[data-action=back]').click();
    await arriveAt(page, 'consent');
    await page.locator('[data-action=decline]').click();
    await page.locator('[data-action=redirect]').click();
    await page.waitForURL(`${platform.origin}/`);
  });

  test(`${locale}: who comes again is told so, and decides whether there is something to hand in`, async () => {
    const page = await bench.rater({ study: 'untimed', again: 'yes', ...worker(`again ${locale}`) }, { locale });
    const person = new Person(page);
    await person.begin();
    await page.locator('[data-action=withdraw]').click();
    await page.locator('dialog [data-action=leave]').click();
    await arriveAt(page, 'end');
    assert.equal(await page.locator('.onward [data-action=stay]').count(), 0, 'nothing is handed in by itself');
    await examine(page, name('end-again'));
    await page.locator('[data-action=hand-in]').click();
    await page.getByText('Taken', { exact: true }).waitFor();
    assert.equal(platform.handedIn.length, 1);
  });
}

test('a task with brief images opens a window from the frame, which then hands in', async () => {
  const { page, frame } = await framed({ study: 'timed', ...worker('W1') });
  await shows(frame, 'aside');
  await examine(page, 'aside');
  const [opened] = await Promise.all([
    page.context().waitForEvent('page'),
    frame.locator('[data-action=window]').click(),
  ]);
  const person = new Person(opened);
  await person.begin();
  assert.deepEqual(bench.mock.last.arrival, { study: 'timed', ...worker('W1') });
  // The frame does not take the session over.
  await frame.locator('[data-action=window]:not(.primary)').waitFor({ timeout: PATIENCE });
  await examine(page, 'aside-open');
  await person.playToEnd();
  assert.equal(await opened.locator('.onward [data-action=stay]').count(), 0, 'the window hands in nothing by itself');
  await examine(opened, 'end-elsewhere');
  await opened.close();
  await shows(frame, 'end');
  await frame.locator('[data-action=hand-in]').click();
  await frame.getByText('Taken', { exact: true }).waitFor();
  assert.deepEqual(platform.handedIn, [{ assignmentId: 'A of W1', code: 'C0DE', ending: 'completed' }]);
  assert.deepEqual(faultsOf(page), []);
});

test('a task without brief images stays in the frame', async () => {
  const { page, frame } = await framed({ study: 'untimed', ...worker('W2') });
  await shows(frame, 'consent');
  const person = new Person(inside(frame));
  await person.begin();
  await person.playToEnd();
  await frame.locator('[data-action=hand-in]').click();
  await frame.getByText('Taken', { exact: true }).waitFor();
  assert.equal(platform.handedIn[0]?.['ending'], 'completed');
  assert.deepEqual(faultsOf(page), []);
});

test('a frame in which the browser stores no cookies opens a window', async () => {
  const { frame } = await framed({ study: 'untimed', ...worker('W3') });
  await shows(frame, 'consent');
  const fault = { action: 'begin', status: 401, code: 'no-session' };
  const faults = Array.from({ length: 4 }, () => fault);
  bench.mock.mode.faults.push(...faults);
  const person = new Person(inside(frame));
  await person.consent();
  for (const _ of faults) {
    await shows(frame, 'instructions');
    await frame.locator('[data-action=begin]:enabled').click();
  }
  await shows(frame, 'aside');
  assert.equal(await frame.locator('[data-action=window]').count(), 1);
});
