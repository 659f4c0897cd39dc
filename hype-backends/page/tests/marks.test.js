import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withMark, withoutSpaces } from '../assets/marks.js';

/** @import { Mark } from "../assets/marks.js" */

test('marks are in order, and one takes in those that it overlaps', () => {
  /** @type {Mark[]} */
  let marks = withMark([], [0, 10, 14]);
  for (const mark of /** @type {Mark[]} */ ([[0, 2, 4], [1, 0, 3]])) marks = withMark(marks, mark); // prettier-ignore
  assert.deepEqual(marks, [[0, 2, 4], [0, 10, 14], [1, 0, 3]]); // prettier-ignore
  assert.deepEqual(withMark(marks, [0, 4, 10]), [[0, 2, 4], [0, 4, 10], [0, 10, 14], [1, 0, 3]]); // prettier-ignore
  assert.deepEqual(withMark(marks, [0, 3, 11]), [[0, 2, 14], [1, 0, 3]]); // prettier-ignore
});

test('a span has no spaces at its ends, and characters are code points', () => {
  const characters = [...'  a 😀b\n '];
  assert.deepEqual(withoutSpaces(characters, 0, characters.length), [2, 6]);
  assert.deepEqual(withoutSpaces(characters, 3, 5), [4, 5]);
  assert.equal(withoutSpaces(characters, 0, 2), null);
});
