import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checks, verdict } from '../assets/figures.js';

test('every check shows its three counts, and whether it excludes', () => {
  assert.deepEqual(
    checks([
      { name: 'catch', consequence: 'exclude', passed: 1200, failed: 1, unclear: 1 },
      { name: 'timing', consequence: 'flag', passed: 1201, failed: 1, unclear: 0 },
    ]),
    [
      ['catch (excludes)', '1,200 pass, 1 fail, 1 inconclusive'],
      ['timing', '1,201 pass, 1 fail, 0 inconclusive'],
    ],
  );
  assert.deepEqual(checks([]), []);
});

/** @param {Partial<import("../page.js").RaterRow>} row */
const said = (row) =>
  verdict({
    ...{ rater: 'r1', state: 'completed', models: [], answered: 3, at_most: 3, attention: false },
    ...{ idle_us: 0, median_us: 0, fast: 0, hidden: 0, flags: [], excluded: null },
    ...row,
  });

test('the checks of a rater are told in words, with who excluded the rater', () => {
  assert.equal(said({}), 'passes all');
  assert.equal(said({ flags: null, state: 'rating' }), '–');
  assert.equal(
    said({
      flags: [
        { name: 'catch', state: 'fail', why: '12 of 12 catch trials right', excludes: true },
        { name: 'timing', state: 'unclear', why: 'no display was reported', excludes: false },
      ],
    }),
    'catch fails (excludes): 12 of 12 catch trials right; timing is inconclusive: no display was reported',
  );
  assert.equal(
    said({ excluded: { reason: 'asked a friend', by: 'operator', unix_ms: 0 } }),
    'excluded by the operator: asked a friend',
  );
});
