// Of a long list, the rows that can be seen are always drawn, and never more than fifty.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { best } from '../assets/operator/charts.js';
import { ROWS, firstRow, seenRows } from '../assets/operator/windowed.js';

test('the rows that can be seen are drawn, wherever the list is scrolled to', () => {
  const all = 300;
  let drawn = { skip: 0, rows: ROWS };
  let asked = 0;
  for (let top = 0; top <= 30 * all - 300; top += 17) {
    const seen = seenRows({ top, height: 300 }, 30);
    const skip = firstRow(drawn, seen, all);
    if (skip !== drawn.skip) asked += 1;
    drawn = { skip, rows: ROWS };
    assert.ok(seen.first >= skip && Math.min(seen.last, all - 1) < skip + ROWS, `${top}`);
    assert.ok(skip >= 0 && skip <= all - ROWS);
  }
  assert.ok(asked <= 15, `${asked} questions`);
});

test('a list that becomes shorter is drawn to its end', () => {
  assert.equal(firstRow({ skip: 200, rows: ROWS }, { first: 210, last: 219 }, 80), 30);
  assert.equal(firstRow({ skip: 0, rows: 3 }, { first: 0, last: 9 }, 3), 0);
  assert.equal(firstRow({ skip: 0, rows: 0 }, { first: 0, last: 9 }, 0), 0);
});

test('a drawing is as wide as it can be read, and is left out where it cannot', () => {
  const [wide, narrow] = [
    { address: 'wide', width: 736, height: 230 },
    { address: 'narrow', width: 350, height: 240 },
  ];
  const shown = (/** @type {number} */ width, /** @type {number} */ height) =>
    best([wide, narrow], { width, height })?.layout.address;
  assert.equal(shown(550, 185), 'wide');
  assert.equal(shown(310, 190), 'narrow');
  assert.equal(shown(310, 100), undefined);
});
