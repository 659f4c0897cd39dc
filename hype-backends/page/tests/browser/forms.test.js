// Forms in unusual situations: text at twice the size, dragging, missing answers.

import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { offer, templates } from '../mock/study.js';
import { Bench } from './bench.js';
import { Person } from './person.js';
import { PHONE, isTooWide, screenOf } from './raters.js';

/**
 * @import { Page } from "playwright-core"
 * @import { AnswerBody } from "../../page.js"
 */

const bench = await Bench.open();
afterEach(() => bench.leave());
after(() => bench.close());

test('the page at twice the text size needs no horizontal scrolling', async () => {
  const page = await bench.rater({ study: 'untimed' }, { viewport: { width: 640, height: 800 } });
  const person = new Person(page);
  await person.begin();
  await person.playToEnd(async () => {
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));
    assert.equal(await isTooWide(page), false, await screenOf(page));
  });
});

// Studies that begin with a ranking, and with questions.
offer('ranking', templates('untimed').slice(3));
offer('questions', templates('untimed').slice(5));

/** Advances to the first trial with a form. @param {Page} page @param {string} form */
async function goTo(page, form) {
  const person = new Person(page);
  await person.begin();
  let place = await person.settled();
  while ((await page.locator(`.questions [data-form="${form}"]`).count()) === 0) {
    await person.answer(place);
    place = await person.settled(place);
  }
  return { person, place };
}

/** The ranks of the last answer. */
function lastRanks() {
  const last = bench.mock.last.taken.at(-1);
  return /** @type {AnswerBody} */ (last?.body).answer;
}

test('a ranking by dragging with the mouse, with a tie', async () => {
  const page = await bench.rater({ study: 'ranking' });
  const { person, place } = await goTo(page, 'ranking');
  const cards = page.locator('[data-form=ranking]');
  await cards.scrollIntoViewIfNeeded();
  const waiting = (/** @type {string} */ value) => cards.locator(`.waiting[data-value="${value}"]`);
  const placed = (/** @type {string} */ value) => cards.locator(`.tier [data-value="${value}"] .handle`);
  await waiting('C').dragTo(cards.locator('.placed'));
  await waiting('A').dragTo(placed('C'));
  await waiting('B').click();
  // B moves above both, and the answer is sent.
  const box = await placed('C').boundingBox();
  await placed('B').hover();
  await page.mouse.down();
  await page.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) - 2, { steps: 8 });
  await page.mouse.up();
  await page.locator('button[type=submit]').click();
  await person.settled(place);
  assert.deepEqual(lastRanks(), { ranking: { B: 1, C: 2, A: 2 } });
});

test('a ranking by dragging with a finger', async () => {
  const page = await bench.rater({ study: 'ranking' }, { viewport: PHONE, hasTouch: true });
  const { person, place } = await goTo(page, 'ranking');
  const cards = page.locator('[data-form=ranking]');
  for (const value of ['A', 'B', 'C']) await cards.locator(`.waiting[data-value="${value}"]`).tap();
  const from = cards.locator('.tier [data-value="C"] .handle');
  await from.scrollIntoViewIfNeeded();
  const [start, end] = [await from.boundingBox(), await cards.locator('.tier').first().boundingBox()];
  const session = await page.context().newCDPSession(page);
  const [x, y] = [(start?.x ?? 0) + 15, (start?.y ?? 0) + 15];
  const top = (end?.y ?? 0) + 2;
  const touch = (/** @type {"touchStart" | "touchMove" | "touchEnd"} */ type, /** @type {number} */ at) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y: at }] });
  await touch('touchStart', y);
  for (let step = 1; step <= 8; step += 1) await touch('touchMove', y + ((top - y) * step) / 8);
  await touch('touchEnd', top);
  await page.locator('button[type=submit]').click();
  await person.settled(place);
  assert.deepEqual(lastRanks(), { ranking: { C: 1, A: 2, B: 3 } });
});

test('a form is not sent before every question is answered', async () => {
  const page = await bench.rater({ study: 'questions' });
  const { person, place } = await goTo(page, 'choice');
  const before = bench.mock.last.taken.length;
  await page.locator('button[type=submit]').click();
  assert.equal(await page.locator('.fault:visible').count(), 3);
  await page.keyboard.press('2');
  assert.equal(await page.locator('.fault:visible').count(), 2);
  assert.equal(bench.mock.last.taken.length, before);
  await person.answer(place);
  await person.settled(place);
});

test('an untouched slider is not an answer', async () => {
  const page = await bench.rater({ study: 'questions' });
  await goTo(page, 'number');
  const slider = page.locator('input[type=range]');
  assert.equal(await slider.getAttribute('aria-valuetext'), 'no answer yet');
  await slider.focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await slider.getAttribute('aria-valuetext'), null);
  assert.equal(await page.locator('input[type=number]').inputValue(), '51');
});
