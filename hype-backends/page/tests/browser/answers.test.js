// Every way of asking can be answered, by mouse, by keyboard alone and by touch.

import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { Bench, PHONE, begin, faultsOf, screenOf } from './bench.js';
import { answer, playToEnd, settled } from './play.js';

/**
 * @import { AnswerReport } from "../../contract.js"
 */

const bench = await Bench.open();
afterEach(() => bench.leave());
after(() => bench.close());

/** What the mock's study asks. */
const ALL = ['choice', 'judgment', 'number', 'pick', 'ranking strict', 'ranking ties', 'ready', 'rest'];

for (const hand of /** @type {const} */ (['mouse', 'keyboard'])) {
  test(`a whole session by ${hand} alone`, async () => {
    const page = await bench.rater();
    await begin(page);
    const met = await playToEnd(page, hand);
    assert.deepEqual(faultsOf(page), []);
    if (bench.mock === null) return;
    assert.deepEqual([...new Set(met)].sort(), ALL);
    const { taken, templates, environment } = bench.mock.last;
    const answers = taken
      .filter((report) => report.to === 'answer')
      .map((report) => /** @type {AnswerReport} */ (report.body));
    assert.equal(answers.length, templates.length);
    assert.ok(answers.every((one) => Number.isInteger(one.rt_us) && one.rt_us > 0));
    for (const [at, one] of answers.entries()) {
      const timed = templates[at]?.block === 'timed';
      assert.equal(one.display === null, !timed, `trial ${at}`);
    }
    assert.ok(environment !== null && environment.refresh_hz > 0 && environment.reduced_motion);
  });
}

test('a session without timed trials on a phone, by touch', async () => {
  const page = await bench.rater({ study: 'untimed' }, { viewport: PHONE, hasTouch: true, isMobile: true });
  await begin(page);
  await playToEnd(page, 'mouse', async () => {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
    assert.equal(wide, false, 'the page is wider than the phone');
  });
  assert.deepEqual(faultsOf(page), []);
});

test('the page at twice the text size needs no sideways scrolling', async () => {
  const page = await bench.rater({ study: 'untimed' }, { viewport: { width: 640, height: 800 } });
  await begin(page);
  await playToEnd(page, 'mouse', async () => {
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));
    const [inner, outer] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    assert.ok(Number(inner) <= Number(outer), `${await screenOf(page)} is ${inner} wide in ${outer}`);
  });
});

/** Goes to the first trial with a form. @param {import("playwright-core").Page} page @param {string} form */
async function goTo(page, form) {
  await begin(page);
  let place = await settled(page);
  while ((await page.locator(`.questions [data-form="${form}"]`).count()) === 0) {
    await answer(page, place, 'mouse');
    place = await settled(page, place);
  }
  return place;
}

const inside = { skip: bench.mock === null ? 'needs the mock server' : false };

/** The ranks of the last answer. */
function lastRanks() {
  const last = bench.inside.last.taken.at(-1);
  return /** @type {AnswerReport} */ (last?.body).answer;
}

test('a ranking by dragging with the mouse, with a tie', inside, async () => {
  const page = await bench.rater({ study: 'untimed' });
  const place = await goTo(page, 'ranking');
  const cards = page.locator('[data-form=ranking]');
  await cards.scrollIntoViewIfNeeded();
  const waiting = (/** @type {string} */ value) => cards.locator(`.waiting[data-value="${value}"]`);
  const placed = (/** @type {string} */ value) => cards.locator(`.tier [data-value="${value}"] .handle`);
  await waiting('C').dragTo(cards.locator('.placed'));
  await waiting('A').dragTo(placed('C'));
  await waiting('B').click();
  // B goes above both, then all is sent.
  const box = await placed('C').boundingBox();
  await placed('B').hover();
  await page.mouse.down();
  await page.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) - 2, { steps: 8 });
  await page.mouse.up();
  await page.locator('button[type=submit]').click();
  await settled(page, place);
  assert.deepEqual(lastRanks(), { order: { B: 1, C: 2, A: 2 } });
});

test('a ranking by dragging with a finger', inside, async () => {
  const page = await bench.rater({ study: 'untimed' }, { viewport: PHONE, hasTouch: true });
  const place = await goTo(page, 'ranking');
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
  await settled(page, place);
  assert.deepEqual(lastRanks(), { order: { C: 1, A: 2, B: 3 } });
});

test('a form is not sent before every question is answered', inside, async () => {
  const page = await bench.rater({ study: 'untimed' });
  const place = await goTo(page, 'choice');
  const before = bench.inside.last.taken.length;
  await page.locator('button[type=submit]').click();
  assert.equal(await page.locator('.fault:visible').count(), 3);
  await page.keyboard.press('2');
  assert.equal(await page.locator('.fault:visible').count(), 2);
  assert.equal(bench.inside.last.taken.length, before);
  await answer(page, place, 'mouse');
  await settled(page, place);
});

test('a slider that is not touched is no answer', inside, async () => {
  const page = await bench.rater({ study: 'untimed' });
  await goTo(page, 'number');
  const slider = page.locator('input[type=range]');
  assert.equal(await slider.getAttribute('aria-valuetext'), 'no answer yet');
  await slider.focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await slider.getAttribute('aria-valuetext'), null);
  assert.equal(await page.locator('input[type=number]').inputValue(), '51');
});
