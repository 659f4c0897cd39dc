/**
 * The page is judged by what a browser puts on the screen, and so are pages that are wrong on purpose.
 *
 * On a busy machine a right page may show a picture for too long. Trials in which the machine was seen to keep threads
 * waiting are therefore left out, and rounds of trials are made, up to `ROUNDS`, until one of them, or all together, give
 * what is wanted. That cannot hide a fault: a wrong page is wrong in every trial, and no load makes it right. Where the
 * machine leaves too few trials alone in all rounds together, the test is skipped and says that it could not tell.
 */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Bench, CHROMIUM, available } from './bench.js';
import { passes, summary } from './judge.js';

/** @typedef {import("./bench.js").Condition["fault"]} Fault */
/** @typedef {import("./judge.js").TrialVerdict} TrialVerdict */

const TRIALS = 10;
const ROUNDS = 4;
/** Trials left alone that are enough for a verdict: 6 stimuli and 30 masks. */
const ENOUGH = 6;
/** The share of them in which a fault must be seen; a right page shows it in none. */
const MOST = 0.75;

const skip = available() ? false : `no Chromium at ${CHROMIUM}; HYPE_CHROMIUM says where it is`;

/** @type {Bench} */
let bench;
before(async () => {
  if (skip === false) bench = await Bench.open();
});
after(async () => {
  await bench?.close();
});

/**
 * Makes rounds until the trials that were left alone, of the last or of all, are as wanted.
 * @param {Fault} fault
 * @param {(verdicts: TrialVerdict[]) => boolean} wanted
 * @returns {Promise<{ found: boolean, rounds: TrialVerdict[][] }>}
 */
async function until(fault, wanted) {
  /** @type {TrialVerdict[][]} */
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { verdicts, calm } = await bench.run({ page: 'hype', load: 'idle', fault }, TRIALS);
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
  return left < ENOUGH ? `could not tell: the machine left ${left} of ${rounds.length * TRIALS} trials alone` : null;
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
  test(`a page that is wrong on purpose, ${name}, is caught`, { skip }, async (t) => {
    const { found, rounds } = await until(fault, (verdicts) => verdicts.filter(has).length >= MOST * verdicts.length);
    const why = unknown(rounds);
    if (why !== null) return t.skip(why);
    assert.ok(found, `its fault is not seen in most trials of any round:\n${report(rounds)}`);
    assert.ok(
      rounds.every((round) => round.length === 0 || !passes(summary(round))),
      'a wrong page passes',
    );
  });
}
