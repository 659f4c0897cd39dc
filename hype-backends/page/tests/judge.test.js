import assert from 'node:assert/strict';
import { test } from 'node:test';

import { judge, passes, summary } from '../timing/judge.js';

/** @typedef {import("../timing/judge.js").Swap} Swap */

const FRAME_US = 16_667;
const EXPECTED = {
  stimulus: { name: 's', frames: 6 },
  masks: [
    { name: 'm0', frames: 2 },
    { name: 'm1', frames: 2 },
  ],
};

/**
 * A screen that is redrawn in every refresh.
 * @param {[string | null, number][]} shown the images, and for how many refreshes
 * @returns {Swap[]}
 */
function screen(shown) {
  let refresh = 100;
  return shown.flatMap(([shows, frames]) =>
    Array.from({ length: frames }, () => ({ at: (refresh += 1) * FRAME_US, shows })),
  );
}

/** @param {Swap[]} swaps */
function verdict(swaps) {
  const all = judge(swaps, [EXPECTED], FRAME_US);
  const [trial] = all;
  assert.ok(trial);
  return {
    seen: [trial.stimulus, ...trial.masks].map(({ verdict: is }) => is),
    blanks: trial.blanks,
    ordered: trial.ordered,
    pass: passes(summary(all)),
  };
}

/** @type {[string, [string | null, number][], ReturnType<typeof verdict>][]} */
const CASES = [
  [
    'all exact',
    [
      ['', 9],
      ['s', 6],
      ['m0', 2],
      ['m1', 2],
      ['', 3],
    ],
    { seen: ['exact', 'exact', 'exact'], blanks: 0, ordered: true, pass: true },
  ],
  [
    'one frame too long',
    [
      ['', 9],
      ['s', 7],
      ['m0', 2],
      ['m1', 2],
      ['', 3],
    ],
    { seen: ['long', 'exact', 'exact'], blanks: 0, ordered: true, pass: false },
  ],
  [
    'one frame too short',
    [
      ['', 9],
      ['s', 6],
      ['m0', 1],
      ['m1', 2],
      ['', 3],
    ],
    { seen: ['exact', 'short', 'exact'], blanks: 0, ordered: true, pass: false },
  ],
  [
    'a mask missing',
    [
      ['', 9],
      ['s', 6],
      ['m1', 2],
      ['', 3],
    ],
    { seen: ['exact', 'missing', 'exact'], blanks: 0, ordered: true, pass: false },
  ],
  [
    'a blank frame',
    [
      ['', 9],
      ['s', 6],
      ['', 1],
      ['m0', 2],
      ['m1', 2],
      ['', 3],
    ],
    { seen: ['exact', 'exact', 'exact'], blanks: 1, ordered: true, pass: false },
  ],
  [
    'another order',
    [
      ['', 9],
      ['m0', 2],
      ['s', 6],
      ['m1', 2],
      ['', 3],
    ],
    { seen: ['exact', 'exact', 'exact'], blanks: 0, ordered: false, pass: false },
  ],
  [
    'an image shown twice',
    [
      ['', 9],
      ['s', 6],
      ['m0', 2],
      ['m1', 2],
      ['s', 1],
      ['', 3],
    ],
    { seen: ['long', 'exact', 'exact'], blanks: 0, ordered: false, pass: false },
  ],
  [
    'an unknown draw at a change',
    [
      ['', 9],
      ['s', 5],
      [null, 1],
      ['m0', 2],
      ['m1', 2],
      ['', 3],
    ],
    { seen: ['unknown', 'unknown', 'exact'], blanks: 0, ordered: true, pass: false },
  ],
  [
    'an unknown draw within a picture',
    [
      ['', 9],
      ['s', 3],
      [null, 1],
      ['s', 2],
      ['m0', 2],
      ['m1', 2],
      ['', 3],
    ],
    { seen: ['unknown', 'exact', 'exact'], blanks: 0, ordered: true, pass: false },
  ],
  ['nothing at all', [['', 9]], { seen: ['missing', 'missing', 'missing'], blanks: 0, ordered: true, pass: false }],
  [
    'only unknown draws',
    [
      ['', 9],
      [null, 12],
      ['', 9],
    ],
    { seen: ['unknown', 'unknown', 'unknown'], blanks: 0, ordered: true, pass: false },
  ],
  [
    'an end that was not recorded',
    [
      ['', 9],
      ['s', 6],
      ['m0', 2],
      ['m1', 2],
    ],
    { seen: ['exact', 'exact', 'unknown'], blanks: 0, ordered: true, pass: false },
  ],
];

for (const [name, shown, want] of CASES) {
  test(`the judge recognizes: ${name}`, () => assert.deepEqual(verdict(screen(shown)), want));
}

test('an image that is not redrawn lasts until the next one', () => {
  const swaps = [
    ['', 0],
    ['s', 10],
    ['m0', 16],
    ['m1', 18],
    ['', 20],
  ].map(([shows, refresh]) => ({ at: Number(refresh) * FRAME_US, shows: String(shows) }));
  assert.deepEqual(verdict(swaps).seen, ['exact', 'exact', 'exact']);
});
