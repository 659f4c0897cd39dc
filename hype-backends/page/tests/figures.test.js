// The operator's numbers: as many digits as distinguish the models, and no negative zero.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digits, scale } from '../assets/figures.js';

/** @param {number[]} values */
const estimates = (values) => values.map((value) => ({ model: 'one', value, raters: 1 }));

test('numbers have as many digits as distinguish them', () => {
  const on = scale(estimates([195, 190]));
  assert.deepEqual([digits(195, on), digits(190, on)], ['195.00', '190.00']);
  const far = scale(estimates([1200, 100]));
  assert.deepEqual([digits(1200, far), digits(100, far)], ['1200', '100']);
});

test('rounding errors around zero are shown as zero', () => {
  const on = scale(estimates([-1e-17, 0]));
  assert.deepEqual([digits(-1e-17, on), digits(0, on)], ['0.00', '0.00']);
});
