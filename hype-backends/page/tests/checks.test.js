import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checks, flags } from '../assets/figures.js';

/** @type {import("../page.js").CheckFindings[]} */
const results = [
  {
    name: 'catch',
    consequence: 'exclude',
    passed: 1200,
    failed: 1,
    unclear: 1,
    flagged: [
      { rater: 'r1', state: 'fail', why: '12 of 12 catch trials right' },
      { rater: 'r2', state: 'unclear', why: 'only 3 of 12 catch trials were as short as requested, too few to decide' },
    ],
  },
  {
    name: 'timing',
    consequence: 'flag',
    passed: 1201,
    failed: 1,
    unclear: 0,
    flagged: [{ rater: 'r1', state: 'fail', why: '40 of 60 displays suspect' }],
  },
];

test('every check shows its three counts', () => {
  assert.deepEqual(checks(results), [
    ['catch', '1,200 pass, 1 fail, 1 inconclusive'],
    ['timing', '1,201 pass, 1 fail, 0 inconclusive'],
  ]);
  assert.deepEqual(checks([]), []);
});

test('a rater is named once for a rule that excludes', () => {
  const exclusions = [
    { rater: 'r0', rule: 'left', reason: 'left after 3 answers' },
    { rater: 'r1', rule: 'catch', reason: '12 of 12 catch trials right' },
  ];
  assert.deepEqual(flags(exclusions, results), [
    'r0: left, left after 3 answers',
    'r1: catch, 12 of 12 catch trials right',
    'r2: catch is inconclusive, only 3 of 12 catch trials were as short as requested, too few to decide',
    'r1: timing fails, 40 of 60 displays suspect',
  ]);
  assert.deepEqual(flags([], []), []);
});
