import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Guard } from '../assets/guard.js';

/** @import { Press } from "../assets/guard.js" */

/**
 * What a guard that opens at 1000 says of the last of some events.
 * @param {Press[]} events
 */
function admitsLast(events) {
  const guard = new Guard();
  guard.open(1000);
  return events.map((event) => guard.admits(event)).at(-1);
}

/** @param {string} type @param {number} timeStamp @param {Partial<Press>} [more] */
const at = (type, timeStamp, more = {}) => ({ type, timeStamp, ...more });

test('a click counts as of the press that caused it', () => {
  /** @type {[string, boolean, Press[]][]} */
  const cases = [
    ['a press on the screen', true, [at('pointerdown', 1000), at('pointerup', 1080), at('click', 1080)]],
    ['a press begun before', false, [at('pointerdown', 990), at('pointerup', 1400), at('click', 1400)]],
    ['a finger whose click comes late', false, [at('pointerdown', 900), at('pointerup', 980), at('click', 1280)]],
    ['space held since before', false, [at('keydown', 900, { key: ' ' }), at('keyup', 1300), at('click', 1300)]],
    ['assistive technology', true, [at('click', 1200)]],
    ['assistive technology, after a press', true, [at('pointerdown', 300), at('pointerup', 400), at('click', 1200)]],
    ['assistive technology, too early', false, [at('click', 900)]],
  ];
  for (const [what, admitted, events] of cases) assert.equal(admitsLast(events), admitted, what);
});

test('a key that is held down presses nothing again, and moves only what it was pressed on', () => {
  const held = (/** @type {number} */ from, /** @type {string} */ key) => [
    at('keydown', from, { key }),
    at('keydown', from + 500, { key, repeat: true }),
  ];
  assert.equal(admitsLast([at('keydown', 1000, { key: 'f' })]), true);
  assert.equal(admitsLast([at('keydown', 999, { key: 'f' })]), false);
  assert.equal(admitsLast(held(1100, 'Enter')), false);
  assert.equal(admitsLast(held(1100, ' ')), false);
  assert.equal(admitsLast(held(1100, 'ArrowRight')), true);
  assert.equal(admitsLast(held(800, 'ArrowRight')), false);
});

test('nothing counts while the guard is shut', () => {
  const guard = new Guard();
  assert.equal(guard.admits(at('pointerdown', 5)), false);
  assert.equal(guard.admits(at('click', 6)), false);
  guard.open(0);
  assert.equal(guard.admits(at('click', 7)), true);
  guard.shut();
  assert.equal(guard.admits(at('keydown', 1e9)), false);
});
