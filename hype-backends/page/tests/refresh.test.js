import assert from 'node:assert/strict';
import { test } from 'node:test';

import { WIDEST_SPREAD, grain, interval } from '../assets/refresh.js';
import { generator } from '../timing/trials.js';

/**
 * @param {number} hz
 * @param {number} count
 * @param {(refresh: number) => boolean} skip
 * @param {number} grainMs
 */
function timestamps(hz, count, skip = () => false, grainMs = 0.005) {
  return Array.from({ length: count }, (_, refresh) => refresh)
    .filter((refresh) => !skip(refresh))
    .map((refresh) => Math.floor((1234.5 + (refresh * 1000) / hz) / grainMs) * grainMs);
}

test('the interval is right to a few microseconds even with a coarse clock', () => {
  for (const hz of [30, 59.94, 60, 75, 90, 120, 144, 240]) {
    for (const grainMs of [0.005, 0.1]) {
      const { frameMs, spread } = interval(timestamps(hz, 61, undefined, grainMs));
      assert.ok(Math.abs(frameMs - 1000 / hz) <= grainMs / 59, `${hz} Hz, grain ${grainMs}: ${frameMs}`);
      assert.ok(spread < WIDEST_SPREAD);
    }
  }
});

test('one skipped frame does not change the interval, many require another measurement', () => {
  const one = interval(timestamps(60, 62, (refresh) => refresh === 30));
  assert.ok(Math.abs(one.frameMs - 1000 / 60) < 0.001);
  assert.ok(one.spread < WIDEST_SPREAD);
  const random = generator(3);
  const many = interval(timestamps(60, 80, (refresh) => refresh % 7 === 3 && random() < 0.9));
  assert.ok(Math.abs(many.frameMs - 1000 / 60) < 0.001);
  assert.ok(many.spread > WIDEST_SPREAD);
});

test('the grain is the smallest step that the clock makes', () => {
  let reading = 0;
  const clock = () => Math.floor((reading += 0.0007) / 0.1) * 0.1;
  assert.ok(Math.abs(grain(clock, 20, 40) - 0.1) < 1e-9);
});

test('the measurement of a very coarse clock stops after one step', () => {
  let readings = 0;
  const clock = () => Math.floor((readings += 1) / 1000) * 100;
  assert.equal(grain(clock, 50, 40), 100);
  assert.ok(readings < 2000);
});
