import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arranged, columnsOf, largestScale, rangeOf } from '../assets/arrangement.js';

/**
 * The scale for images that fit up to a limit, in CSS pixels.
 * @param {number} side of the images, pixels
 * @param {number} ratio
 * @param {number} limit
 */
function check(side, ratio, limit) {
  const range = rangeOf([{ width: side, height: side }], ratio);
  return largestScale(range, ratio, (scale) => side * scale <= limit);
}

test('small images are enlarged by whole numbers of device pixels', () => {
  assert.equal(check(64, 1, 400), 6);
  assert.equal(check(64, 1, 2000), 8);
  assert.equal(check(256, 1, 600), 2);
  assert.equal(check(256, 1.25, 600), 2 / 1.25);
  assert.equal(check(300, 3, 600), 5 / 3);
});

test('large images are reduced by any factor, as little as possible', () => {
  assert.equal(check(1024, 1, 1024), 1);
  const scale = check(1024, 1, 700);
  assert.ok(scale <= 700 / 1024 && scale > 698 / 1024, String(scale));
});

test('an image is not reduced beyond recognition', () => {
  assert.equal(Math.round(1024 * check(1024, 1, 10)), 64);
  assert.equal(check(32, 1, 10), 1);
});

test('several images share one range', () => {
  assert.deepEqual(
    rangeOf(
      [
        { width: 128, height: 64 },
        { width: 256, height: 512 },
      ],
      1,
    ),
    { least: 1, whole: 1 },
  );
});

const CAPTIONS = { judged: 34, conditions: 34 };
const square = (/** @type {number} */ side, count = 1) => Array(count).fill({ width: side, height: side });

test('a pair and its source stand in a line in a wide room, and the source above the pair in a high one', () => {
  const pictures = { judged: square(512, 2), sources: square(512), others: [], captions: CAPTIONS };
  const wide = arranged(pictures, { width: 1326, height: 440 }, 1);
  assert.deepEqual([wide.place, wide.columns, wide.fits], ['line', 2, true]);
  assert.ok(512 * wide.scale > 390 && 512 * wide.scale <= 440 - 46, String(wide.scale));
  const high = arranged(pictures, { width: 366, height: 620 }, 1);
  assert.deepEqual([high.place, high.columns, high.fits], ['above', 2, true]);
});

test('subjects are made smaller where that shows the judged image larger, and sources never', () => {
  const room = { width: 855, height: 430 };
  const of = (/** @type {"sources" | "others"} */ kind) =>
    arranged({ judged: square(512), sources: [], others: [], captions: CAPTIONS, [kind]: square(512, 2) }, room, 1);
  assert.equal(of('sources').share, 1);
  assert.equal(of('others').share, 0.5);
  assert.ok(of('others').scale > of('sources').scale * 1.2);
});

test('few images never leave a gap', () => {
  assert.deepEqual(columnsOf(3), [3, 1]);
  assert.deepEqual(columnsOf(4), [4, 2, 1]);
  assert.deepEqual(columnsOf(5), [5, 4, 3, 2, 1]);
});

test('a room that is too small for any arrangement is told', () => {
  const pictures = { judged: square(512, 4), sources: [], others: [], captions: CAPTIONS };
  assert.equal(arranged(pictures, { width: 100, height: 100 }, 1).fits, false);
});
