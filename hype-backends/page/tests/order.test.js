import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drop, move, place, rankOf, ranks, remove, unordered } from '../assets/order.js';
import { generator } from './mock/pictures.js';

/**
 * @import { Order } from "../assets/order.js"
 */

/** @param {string} text tiers such as `A BC D`, with what is not placed after a bar @returns {Order} */
function order(text) {
  const [tiers = '', rest = ''] = text.split('|');
  return {
    tiers: tiers
      .split(' ')
      .filter((tier) => tier !== '')
      .map((tier) => [...tier]),
    rest: [...rest],
  };
}

/** @param {Order} one */
const written = ({ tiers, rest }) =>
  tiers.map((tier) => [...tier].sort().join('')).join(' ') + (rest.length > 0 ? `|${rest.join('')}` : '');

test('nothing is ranked at first, and the answer is complete once everything is', () => {
  let made = unordered(['A', 'B', 'C']);
  assert.equal(ranks(made), null);
  for (const value of ['B', 'A', 'C']) made = place(made, value);
  assert.deepEqual(ranks(made), { B: 1, A: 2, C: 3 });
  assert.equal(written(remove(made, 'A')), 'B C|A');
  assert.equal(rankOf(made, 'A'), 2);
  assert.equal(rankOf(remove(made, 'A'), 'A'), null);
});

test('with ties, steps lead into the next tier and out of a tier', () => {
  /** @type {[string, string, "up" | "down", string][]} */
  const cases = [
    ['A B C', 'B', 'up', 'AB C'],
    ['AB C', 'B', 'up', 'B A C'],
    ['AB C', 'B', 'down', 'A B C'],
    ['A BC', 'A', 'down', 'ABC'],
    ['A B C', 'A', 'up', 'A B C'],
    ['A B C', 'C', 'down', 'A B C'],
    ['ABC', 'C', 'down', 'AB C'],
    ['A|B', 'B', 'up', 'A|B'],
  ];
  for (const [from, value, way, to] of cases)
    assert.equal(written(move(order(from), value, way, 'ties')), to, `${from} ${value} ${way}`);
});

test('without ties, steps swap neighbours', () => {
  /** @type {[string, string, "up" | "down", string][]} */
  const cases = [
    ['A B C', 'B', 'up', 'B A C'],
    ['A B C', 'B', 'down', 'A C B'],
    ['A B C', 'A', 'down', 'B A C'],
    ['A B C', 'C', 'up', 'A C B'],
    ['A B C', 'C', 'down', 'A B C'],
    ['A B C', 'A', 'up', 'A B C'],
  ];
  for (const [from, value, way, to] of cases)
    assert.equal(written(move(order(from), value, way, 'strict')), to, `${from} ${value} ${way}`);
});

test('a card can be dropped into a tier, before a tier, or at the end', () => {
  assert.equal(written(drop(order('A B C'), 'C', { join: 'A' })), 'AC B');
  assert.equal(written(drop(order('A B C'), 'C', { before: 'A' })), 'C A B');
  assert.equal(written(drop(order('A B C'), 'A', { before: null })), 'B C A');
  assert.equal(written(drop(order('AB|C'), 'C', { before: 'B' })), 'C AB');
  assert.equal(written(drop(order('AB C'), 'A', { before: 'B' })), 'A B C');
});

test('no operation loses a candidate, and complete ranks are dense', () => {
  const random = generator(7);
  const values = ['A', 'B', 'C', 'D', 'E'];
  const any = (/** @type {readonly string[]} */ from) =>
    /** @type {string} */ (from[Math.floor(random() * from.length)]);
  let made = unordered(values);
  for (let step = 0; step < 5000; step += 1) {
    const value = any(values);
    const other = any(values.filter((one) => one !== value));
    const rule = random() < 0.5 ? 'ties' : 'strict';
    const placed = rankOf(made, other) !== null;
    const chosen = Math.floor(random() * 5);
    if (chosen === 0) made = place(made, value);
    else if (chosen === 1 && random() < 0.2) made = remove(made, value);
    else if (chosen === 2 && placed) made = drop(made, value, { join: other });
    else if (chosen === 3 && placed) made = drop(made, value, { before: other });
    else made = move(made, value, random() < 0.5 ? 'up' : 'down', rule);
    assert.deepEqual([...made.tiers.flat(), ...made.rest].sort(), values);
    assert.ok(made.tiers.every((tier) => tier.length > 0));
    const found = ranks(made);
    if (found === null) continue;
    const distinct = [...new Set(Object.values(found))].sort();
    assert.deepEqual(
      distinct,
      distinct.map((_, at) => at + 1),
    );
  }
});

test('up and down alone reach every order, with and without ties', () => {
  /** @type {["ties" | "strict", number][]} */
  const cases = [
    ['ties', 75],
    ['strict', 24],
  ];
  for (const [rule, count] of cases) {
    const found = new Map([[written(order('A B C D')), order('A B C D')]]);
    for (const one of found.values()) {
      for (const value of 'ABCD') {
        for (const way of /** @type {const} */ (['up', 'down'])) {
          const next = move(one, value, way, rule);
          if (!found.has(written(next))) found.set(written(next), next);
        }
      }
    }
    assert.equal(found.size, count, rule);
  }
});
