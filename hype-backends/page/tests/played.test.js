import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ENTRIES,
  added,
  inUnits,
  isFinished,
  isRead,
  isReadable,
  isSlow,
  lengthOf,
  reported,
} from '../assets/played.js';

/** @import { Ranges } from "../assets/played.js" */

/** @param {...[number, number]} some @returns {Ranges} */
const union = (...some) => some.reduce((/** @type {Ranges} */ all, [from, to]) => added(all, from, to), []);

test('ranges that touch or overlap are one', () => {
  assert.deepEqual(union([0, 1], [2, 3]), [[0, 1], [2, 3]]); // prettier-ignore
  assert.deepEqual(union([2, 3], [0, 1], [1, 2]), [[0, 3]]);
  assert.deepEqual(union([0, 4], [1, 2]), [[0, 4]]);
  assert.deepEqual(union([0, 1], [2, 3], [4, 5], [0.5, 4.5]), [[0, 5]]);
  assert.deepEqual(union([1, 1], [3, 2]), []);
});

test('ranges are what a set of points is', () => {
  let state = 7;
  const random = (/** @type {number} */ most) => (state = (state * 48271) % 2147483647) % most;
  for (let round = 0; round < 200; round += 1) {
    const points = new Set();
    /** @type {Ranges} */
    let ranges = [];
    for (let one = 0; one < 12; one += 1) {
      const from = random(60);
      const to = from + random(8);
      for (let point = from; point < to; point += 1) points.add(point);
      ranges = added(ranges, from, to);
    }
    assert.equal(lengthOf(ranges), points.size);
    const listed = ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, at) => from + at));
    assert.deepEqual(
      listed,
      [...points].sort((one, other) => one - other),
    );
  }
});

test('a bin counts that was played in part, and the last one ends with the clip', () => {
  assert.deepEqual(inUnits(union([0, 0.04], [0.95, 1.21]), 0.1, 2), [[0, 1], [9, 13]]); // prettier-ignore
  assert.deepEqual(inUnits(union([0, 2.02]), 0.1, 2.02), [[0, 21]]);
  // Sums of tenths are not quite whole numbers of tenths.
  assert.deepEqual(inUnits(union([0.1 + 0.2, 0.1 * 6]), 0.1, 3), [[3, 6]]);
  assert.deepEqual(inUnits(union([0, 0.12], [0.15, 0.3]), 0.1, 3), [[0, 3]]);
  assert.deepEqual(inUnits([], 0.1, 3), []);
});

test('a line is slow that loads a trial in more than it plays and two seconds', () => {
  assert.deepEqual([isSlow(1.9, 0), isSlow(2.1, 0), isSlow(6.9, 5), isSlow(7.1, 5)], [false, true, false, true]);
});

test('entries that are too many are joined into the last', () => {
  const many = Array.from({ length: 100 }, (_, at) => /** @type {[number, number]} */ ([at * 3, at * 3 + 1]));
  const units = inUnits(union(...many), 1, 300);
  assert.equal(units.length, ENTRIES);
  assert.deepEqual([units[0], units.at(-1)], [[0, 1], [189, 298]]); // prettier-ignore
  const spans = reported(many, 0);
  assert.equal(spans.length, ENTRIES);
  assert.deepEqual(spans.at(-1), { at_us: 189_000, for_us: 37_000 });
  const sum = (/** @type {{ for_us: number }[]} */ all) => all.reduce((all, { for_us }) => all + for_us, 0);
  assert.equal(sum(spans), 100_000);
});

test('times are whole microseconds from the onset, not below it', () => {
  assert.deepEqual(reported([[10.0004, 30.5], [5, 6]], 10), [{ at_us: 0, for_us: 20_500 }, { at_us: 0, for_us: 1000 }]); // prettier-ignore
});

test('choices unlock when the share of each was seen, or its end was reached', () => {
  const half = { seen: union([0, 1]), whole: 2, ended: false };
  assert.equal(isFinished(half, 0.5), true);
  assert.equal(isFinished(half, 0.6), false);
  assert.equal(isFinished({ ...half, seen: union([0, 0.4], [1, 1.5]) }, 0.5), false);
  assert.equal(isFinished({ ...half, ended: true }, 1), true);
  assert.equal(isFinished({ ...half, seen: union([0, 1.995]) }, 1), true);
  assert.equal(isFinished({ ...half, seen: union([0, 1.96]) }, 1), false);
  assert.equal(isFinished({ seen: [], whole: 2, ended: false }, 0), true);
});

test('texts can be read once each was in view for its time, and any for that of all', () => {
  assert.equal(isReadable([3000, 3000], 3000, [1000, 2000]), true);
  assert.equal(isReadable([2999, 2999], 2999, [1000, 2000]), false);
  assert.equal(isReadable([2900, 100], 3000, [1000, 2000]), false, 'the second was hardly opened');
  assert.equal(isReadable([0, 0], 0, []), true);
});

test('a text is read when its end was in view, or enough of it', () => {
  assert.deepEqual([isRead(union([0, 20]), 100, 1), isRead(union([0, 20], [80, 100]), 100, 1)], [false, true]);
  assert.deepEqual([isRead(union([0, 40]), 100, 0.5), isRead(union([0, 60]), 100, 0.5)], [false, true]);
});
