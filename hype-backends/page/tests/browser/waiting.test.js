// The waiting room: what raters read while they wait, and how the study begins.

import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { LOCALES, sized } from '../size.js';
import { examine } from './axe.js';
import { Bench } from './bench.js';
import { Person } from './person.js';
import { PATIENCE, arriveAt, faultsOf } from './raters.js';

/**
 * @import { Page } from "playwright-core"
 */

const bench = await Bench.open();
afterEach(() => bench.leave());
after(() => bench.close());

/** A rater who has read the instructions of a study that is held open. @param {string} study @param {string} [locale] */
async function waiting(study, locale = 'en') {
  const page = await bench.rater({ study, wait: 'yes', age: 'none' }, { locale });
  const rater = new Person(page);
  await arriveAt(page, 'consent');
  await rater.act('agree');
  await arriveAt(page, 'instructions');
  await page.locator('[data-action=begin]:enabled').click({ timeout: PATIENCE });
  await arriveAt(page, 'waiting');
  return page;
}

/** The paragraphs of the screen. @param {Page} page */
const read = (page) => page.locator('main p').allTextContents();

test('a rater reads how long the wait is and what it pays, until the study begins with a press', async () => {
  const page = await waiting('untimed');
  const [text, earned, rate] = await read(page);
  assert.match(String(text), /^Keep this window open\. The study begins by itself, at the latest in 20 minutes\.$/);
  assert.match(String(earned), /waited 1 minute, and earned \$0\.15/);
  assert.match(String(rate), /\$9\.00 for an hour/);
  assert.equal(await page.locator('[data-action=withdraw]:visible').count(), 1, 'a rater who waits can leave');
  bench.mock.last.minutes = 2;
  await page.getByText('You have waited 2 minutes, and earned $0.30 by it.').waitFor({ timeout: PATIENCE });
  const before = await page.title();
  bench.mock.last.at = 'trials';
  await arriveAt(page, 'called');
  assert.notEqual(await page.title(), before);
  assert.equal(await page.title(), 'The study begins now');
  await page.keyboard.press('Enter');
  await arriveAt(page, 'trial');
  assert.equal(await page.title(), before);
  assert.deepEqual(faultsOf(page), []);
});

test('a reloaded page waits on, and a timed study begins with its usual start', async () => {
  const page = await waiting('timed');
  await page.reload();
  await arriveAt(page, 'waiting');
  bench.mock.last.at = 'trials';
  await arriveAt(page, 'ready');
  assert.equal(await page.title(), 'The study begins now');
  await page.locator('[data-action=start]').click();
  await page.waitForFunction(() => document.title !== 'The study begins now');
});

for (const locale of sized(LOCALES, ['ar'])) {
  test(`${locale}: the waiting screen and the one after it keep the rules of accessibility`, async () => {
    const page = await waiting('untimed', locale);
    await examine(page, `${locale}-waiting`);
    bench.mock.last.at = 'trials';
    await arriveAt(page, 'called');
    await examine(page, `${locale}-called`);
    assert.deepEqual(faultsOf(page), []);
  });
}
