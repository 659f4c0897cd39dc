import assert from 'node:assert/strict';
import { test } from 'node:test';

import { scale } from '../assets/surface.js';

test('an image pixel covers a whole number of device pixels', () => {
  /** @type {[number, number, number, number, number][]} ratio, image width and height, room, scale */
  const cases = [
    [1, 256, 256, 1024, 1],
    [2, 256, 256, 2048, 2],
    [3, 256, 256, 3000, 3],
    [1.25, 256, 256, 1280, 1],
    [1.5, 256, 256, 1536, 1],
    [2.625, 256, 256, 1080, 2],
    [0.8, 256, 256, 800, 1],
    [2, 1024, 1024, 2000, 1],
    [1, 1024, 1024, 1000, 0],
  ];
  for (const [ratio, width, height, room, want] of cases) {
    assert.equal(scale(ratio, width, height, room, room), want, `ratio ${ratio}, ${width} in ${room}`);
  }
});
