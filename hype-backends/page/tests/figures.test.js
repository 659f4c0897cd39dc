// What the operator reads: as many digits as tell models apart, and no zero with a sign.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digits, scale } from '../assets/figures.js';

/** @param {number[]} values */
const estimates = (values) => values.map((value) => ({ model: 'one', value, raters: 1 }));

test('numbers have the digits that tell them apart', () => {
  const on = scale(estimates([195, 190]));
  assert.deepEqual([digits(195, on), digits(190, on)], ['195.00', '190.00']);
  const far = scale(estimates([1200, 100]));
  assert.deepEqual([digits(1200, far), digits(100, far)], ['1200', '100']);
});

test('what differs from zero by rounding alone is zero', () => {
  const on = scale(estimates([-1e-17, 0]));
  assert.deepEqual([digits(-1e-17, on), digits(0, on)], ['0.00', '0.00']);
});
