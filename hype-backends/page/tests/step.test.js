import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restarted, slipsOf, stepped, together } from '../assets/step.js';

/** @import { Shown, Step } from "../assets/step.js" */

const FRAME = 0.04;

/** The time between two refreshes of the screen, in milliseconds. */
const REFRESH = 1000 / 60;

/**
 * Plays two clips on a screen of 60 Hz: the second begins late and takes the rate that it is told.
 * @param {number} late milliseconds
 * @param {number} seconds
 * @param {(now: number) => boolean} [freezes] whether the second shows no new frame
 */
function play(late, seconds, freezes = () => false) {
  /** @type {Step} */
  let step = together(2);
  let [first, second] = [0, -late / 1000];
  /** @type {(Shown | null)[]} */
  let shown = [null, null];
  const rates = new Set();
  for (let now = 0; now < seconds * 1000; now += REFRESH) {
    const media = [first, second].map((time) => Math.floor(time / FRAME + 1e-9) * FRAME);
    shown = shown.map((before, at) => {
      const time = media[at] ?? 0;
      if (time < 0 || (at === 1 && freezes(now))) return before;
      return before?.media === time ? before : { media: time, at: now };
    });
    step = stepped(step, shown, FRAME, now);
    rates.add(step.rates[1]);
    first += REFRESH / 1000;
    second += (REFRESH / 1000) * (step.rates[1] ?? 1);
  }
  return { step, rates: [...rates], apart: first - second };
}

test('clips in step keep their rates', () => {
  for (const late of [0, 5, 12, 19]) {
    const { step, rates } = play(late, 4);
    assert.deepEqual(rates, [1], `${late} ms`);
    assert.ok(step.largest <= FRAME, `${late} ms: ${step.largest}`);
    assert.deepEqual(slipsOf(step), []);
  }
});

test('a clip that is late or early gets into step by at most 5 percent, and then keeps its rate', () => {
  for (const late of [-70, -40, 30, 45, 60, 75]) {
    const { step, rates, apart } = play(late, 6);
    assert.ok(Math.abs(apart) <= FRAME / 2, `${late} ms: ${apart}`);
    assert.ok(
      rates.every((rate = 0) => Math.abs(rate - 1) <= 0.05 + 1e-9),
      String(rates),
    );
    assert.equal(step.rates[1], 1, `${late} ms`);
    assert.equal(step.rates[0], 1);
    assert.deepEqual(slipsOf(step), [], `${late} ms`);
  }
});

test('clips that are apart by more than two frames for 100 ms have slipped', () => {
  const { step } = play(130, 6);
  const [slip, ...more] = slipsOf(step);
  assert.ok(slip !== undefined && more.length === 0, JSON.stringify(slipsOf(step)));
  // 50 ms are to be made up at 5 percent.
  assert.ok(slip[1] - slip[0] > 500 && slip[1] - slip[0] < 1500, String(slip));
  assert.ok(step.largest > 0.12 && step.largest < 0.15, String(step.largest));
});

test('a clip that shows an old frame is apart, for as long as it does', () => {
  const { step } = play(0, 3, (now) => now > 1000 && now < 1300);
  const [slip] = slipsOf(step);
  assert.ok(slip !== undefined);
  assert.ok(Math.abs(slip[0] - 1120) < 40 && Math.abs(slip[1] - 1300) < 40, String(slip));
  assert.deepEqual(slipsOf(play(0, 3, (now) => now > 1000 && now < 1090).step), []);
});

test('a clip that has ended is out of step with none', () => {
  const step = together(2);
  const shown = [{ media: 2, at: 0 }, null];
  assert.deepEqual(stepped(step, shown, FRAME, 5000).rates, [1, 1]);
  assert.equal(stepped(step, shown, FRAME, 5000).largest, 0);
});

test('a new beginning keeps what was found', () => {
  const { step } = play(130, 0.6);
  assert.notEqual(step.apart, null);
  const again = restarted(step);
  assert.equal(again.slips.length, 1);
  assert.deepEqual([again.rates, again.apart, again.largest], [[1, 1], null, step.largest]);
});
