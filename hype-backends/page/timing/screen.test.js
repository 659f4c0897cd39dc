/**
 * Judges the page, and deliberately wrong pages, by what a browser puts on the screen.
 *
 * On a busy machine a correct page may show an image for too long. Trials in which the machine delayed threads are
 * therefore left out, and up to `ROUNDS` rounds of trials are run until one of them, or all together, pass. That
 * cannot hide a fault: a wrong page is wrong in every trial, and no load makes it right. If too few trials of all
 * rounds are undisturbed, the test is skipped as inconclusive.
 */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Bench, CHROMIUM, available } from './bench.js';
import { passes, summary } from './judge.js';

/** @typedef {import("./bench.js").Condition["fault"]} Fault */
/** @typedef {import("./judge.js").TrialVerdict} TrialVerdict */

const TRIALS = 10;
const ROUNDS = 4;
/** The undisturbed trials needed for a verdict: 6 stimuli and 30 masks. */
const ENOUGH = 6;
/** The share of trials in which a fault must be detected; a correct page shows it in none. */
const MOST = 0.75;

const skip = available() ? false : `no Chromium at ${CHROMIUM}; set HYPE_CHROMIUM to its path`;

/** @type {Bench} */
let bench;
before(async () => {
  if (skip === false) bench = await Bench.open();
});
after(async () => {
  await bench?.close();
});

/**
 * Runs rounds until the undisturbed trials, of the last round or of all, pass.
 * @param {Fault} fault
 * @param {(verdicts: TrialVerdict[]) => boolean} wanted
 * @returns {Promise<{ found: boolean, rounds: TrialVerdict[][] }>}
 */
async function until(fault, wanted) {
  /** @type {TrialVerdict[][]} */
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { verdicts, calm } = await bench.run({ page: 'presenter', load: 'idle', fault }, TRIALS);
    const left = verdicts.filter((_, trial) => calm[trial]);
    rounds.push(left);
    if ([left, rounds.flat()].some((some) => some.length >= ENOUGH && wanted(some))) return { found: true, rounds };
  }
  return { found: false, rounds };
}

/**
 * @param {TrialVerdict[][]} rounds
 * @returns {string | null} why there is no verdict
 */
function unknown(rounds) {
  const left = rounds.flat().length;
  return left < ENOUGH ? `inconclusive: ${left} of ${rounds.length * TRIALS} trials were undisturbed` : null;
}

/** @param {TrialVerdict[][]} rounds */
const report = (rounds) => rounds.map((round) => JSON.stringify(summary(round))).join('\n');

test('the page shows stimuli and masks for exactly the planned frames', { skip }, async (t) => {
  const { found, rounds } = await until('none', (verdicts) => passes(summary(verdicts)));
  const why = unknown(rounds);
  if (why !== null) return t.skip(why);
  assert.ok(found, `no round passes:\n${report(rounds)}`);
});

/** @type {{ fault: Fault, name: string, has: (verdict: TrialVerdict) => boolean }[]} */
const WRONG = [
  { fault: 'long', name: 'a frame too long', has: ({ stimulus }) => stimulus.verdict === 'long' },
  { fault: 'missing', name: 'without a mask', has: ({ masks }) => masks[0]?.verdict === 'missing' },
  { fault: 'blank', name: 'with a blank frame before the masks', has: ({ blanks }) => blanks > 0 },
];

for (const { fault, name, has } of WRONG) {
  test(`a deliberately wrong page, ${name}, is caught`, { skip }, async (t) => {
    const { found, rounds } = await until(fault, (verdicts) => verdicts.filter(has).length >= MOST * verdicts.length);
    const why = unknown(rounds);
    if (why !== null) return t.skip(why);
    assert.ok(found, `its fault is not detected in most trials of any round:\n${report(rounds)}`);
    assert.ok(
      rounds.every((round) => round.length === 0 || !passes(summary(round))),
      'a wrong page passes',
    );
  });
}
