import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assignKeys, freeKeys, keyOf } from '../assets/keys.js';

test('a key is named by the Latin letter that it types, otherwise by its position', () => {
  /** @type {[string, string, string][]} */
  const cases = [
    ['f', 'KeyF', 'f'],
    ['F', 'KeyF', 'f'],
    ['ب', 'KeyF', 'f'],
    ['а', 'KeyF', 'f'],
    ['&', 'Digit1', '1'],
    ['1', 'Numpad1', '1'],
    ['a', 'KeyQ', 'a'],
    ['Enter', 'Enter', 'enter'],
  ];
  for (const [key, code, wanted] of cases) assert.equal(keyOf({ key, code }), wanted, `${key} ${code}`);
});

test('options keep the keys that the study names, and the others get the digit of their position', () => {
  const keys = (/** @type {(string | null)[]} */ ...named) => assignKeys(named.map((key) => ({ key })));
  assert.deepEqual(keys(null, null, null), ['1', '2', '3']);
  assert.deepEqual(keys('r', 'F'), ['r', 'f']);
  assert.deepEqual(keys('a', 'b', null), ['a', 'b', '3']);
  assert.deepEqual(keys('a', 'b', 'b'), ['a', 'b', '3']);
  assert.deepEqual(keys('2', null, null), ['2', null, '3']);
  assert.deepEqual(keys(...Array.from({ length: 12 }, () => null)).slice(8), ['9', '0', null, null]);
});

test('tools get letters that answer nothing, each another one', () => {
  assert.deepEqual(freeKeys(['xv', 'cd'], new Set(['1', 'f'])), ['x', 'c']);
  assert.deepEqual(freeKeys(['xv', 'cd'], new Set(['x', 'c'])), ['v', 'd']);
  assert.deepEqual(freeKeys(['xv', 'xd'], new Set()), ['x', 'd']);
  assert.deepEqual(freeKeys(['xv', 'cd'], new Set(['x', 'v'])), [null, 'c']);
});
