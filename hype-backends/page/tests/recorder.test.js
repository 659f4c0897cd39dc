import assert from 'node:assert/strict';
import { test } from 'node:test';

import { flat, pixel } from '../timing/png.js';
import { joined } from '../timing/recorder.js';
import { colour, images, named, trials } from '../timing/trials.js';

const FRAME_US = 16_666;
const AHEAD_US = 1_795_294_232_109_974;

/** @typedef {import("../timing/png.js").Colour} Colour */

/** @param {number[]} refreshes in which something is drawn @param {Record<number, number>} durations of slow draws, µs */
function trace(refreshes, durations = {}) {
  const common = { ph: 'X', pid: 1, tid: 2 };
  return refreshes.flatMap((refresh) => [
    {
      ...common,
      name: 'DisplayScheduler::BeginFrame',
      ts: refresh * FRAME_US + 1500,
      args: { args: { frame_time_us: refresh * FRAME_US, interval_us: FRAME_US } },
    },
    {
      ...common,
      name: 'Display::DrawAndSwap',
      ts: refresh * FRAME_US + 2500,
      dur: durations[refresh] ?? 700,
      args: {},
    },
  ]);
}

/** @type {(refresh: number) => Colour} */
const tint = (refresh) => [refresh % 200, 7, 9];
/** @param {number[]} refreshes */
const pictures = (refreshes) =>
  refreshes.map((refresh) => ({ stamp: refresh * FRAME_US + AHEAD_US + 1, colour: tint(refresh) }));

const REFRESHES = [...Array(30).keys()].concat(
  [...Array(30).keys()].map((n) => n + 45),
  [...Array(9).keys()].map((n) => n + 90),
);

test('every draw gets the image of its refresh', () => {
  const { draws, frameUs, stumbles } = joined(trace(REFRESHES), pictures(REFRESHES));
  assert.equal(frameUs, FRAME_US);
  assert.deepEqual(stumbles, []);
  assert.deepEqual(
    draws,
    REFRESHES.map((refresh) => ({ at: refresh * FRAME_US, colour: tint(refresh) })),
  );
});

test('a missing image leaves only its own draw unknown', () => {
  const { draws } = joined(trace(REFRESHES), pictures(REFRESHES.filter((refresh) => refresh !== 50 && refresh !== 74)));
  for (const { at, colour: seen } of draws) {
    const refresh = at / FRAME_US;
    assert.deepEqual(seen, refresh === 50 || refresh === 74 ? null : tint(refresh));
  }
});

test('a late draw counts for the next refresh that it could reach', () => {
  const { draws } = joined(trace(REFRESHES, { 12: 15_000 }), pictures(REFRESHES));
  assert.deepEqual(draws[12], { at: 13 * FRAME_US, colour: tint(12) });
  assert.deepEqual(draws[11], { at: 11 * FRAME_US, colour: tint(11) });
});

test('ambiguous images are not used', () => {
  const steady = [...Array(40).keys()];
  const { draws } = joined(trace(steady), pictures(steady.slice(5, 35)));
  assert.ok(draws.every(({ colour: seen }) => seen === null));
});

test('all images of a run are distinguishable, and a flat image has the same colour everywhere', () => {
  const run = trials(60, 1);
  const all = run.flatMap(images);
  assert.equal(new Set(all).size, 360);
  for (const name of all) assert.equal(named(colour(name), run), name);
  assert.equal(named([128, 128, 128], run), '');
  assert.equal(named([0, 255, 0], run), null);
  assert.deepEqual(pixel(flat(9, 7, [12, 200, 31]), 0.25, 0.9), [12, 200, 31]);
});
