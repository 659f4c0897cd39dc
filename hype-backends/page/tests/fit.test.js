import assert from 'node:assert/strict';
import { test } from 'node:test';
import { largestScale, rangeOf } from '../assets/fit.js';

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
