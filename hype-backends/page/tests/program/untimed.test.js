// Every kind of form, and in proofs every task and every rubric without time limits, from consent to the end page, by mouse, by keyboard alone and by
// touch on a phone: the log has the answers, and the program ends with its findings.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { examine } from '../browser/axe.js';
import { Person } from '../browser/person.js';
import { ON_A_PHONE, faultsOf, isTooWide } from '../browser/raters.js';
import { sized } from '../size.js';
import { holdsTheAnswers, sessionOf } from './log.js';
import { built } from './program.js';
import { setting } from './setting.js';
import { UNTIMED } from './studies.js';

/**
 * @import { Hand } from "../browser/person.js"
 * @import { Kept } from "./log.js"
 */

/** @type {Hand[]} */
const HANDS = ['mouse', 'keyboard', 'touch'];

/**
 * One study of each kind of form and condition, with those who take part in `./test`: by mouse, faults.test.js answers the
 * questions of `likert`, and closely.test.js picks.
 * @type {Record<string, Hand[]>}
 */
const SOME = {
  'hype-infinity': ['keyboard', 'touch'],
  likert: ['keyboard', 'touch'],
  'multi-concept-composition': ['touch'],
  'contrast-criteria': ['keyboard'],
  ranking: ['mouse', 'touch'],
  'ranking-strict': ['keyboard'],
  'best-of': ['keyboard', 'touch'],
};

/** The kinds of form in all studies together. */
const ALL = ['choice', 'judgment', 'number', 'pick', 'ranking strict', 'ranking ties', 'rest'];

describe('every task and rubric without time limits', { ...built, concurrency: 2 }, () => {
  const here = setting();
  /** @type {Set<string>} */
  const met = new Set();
  after(() => {
    assert.deepEqual([...met].sort(), ALL);
  });

  for (const spec of UNTIMED) {
    const hands = sized(HANDS, SOME[spec.name] ?? []);
    if (hands.length === 0) continue;
    test(`${spec.name}: the answers by ${hands.join(', ')} are stored`, async () => {
      const raters = /** @type {Record<string, unknown>} */ (spec['raters']);
      const per = 'per_model' in raters ? 'per_model' : 'per_item';
      const program = await here.studies.serve({ ...spec, raters: { ...raters, [per]: hands.length } });
      const people = await Promise.all(hands.map((hand, taste) => takePart(program.raters, hand, taste, spec.name)));
      const { code, said } = await program.ended();
      assert.equal(code, 0, said);
      const log = await program.log();
      assert.equal(log.length, hands.length);
      for (const person of people) {
        const kept = sessionOf(log, person);
        assert.equal(kept.ending, 'completed');
        holdsTheAnswers(kept, person);
        assert.equal(kept.environment?.touch, person.hand === 'touch');
        isScaledAsSeen(kept, person);
        for (const way of person.met) met.add(way);
      }
      assert.match(await program.verify(), /replayed [1-3] sessions?: their logs agree with the study/);
    });
  }

  /**
   * @param {string} address
   * @param {Hand} hand
   * @param {number} taste
   * @param {string} name
   */
  async function takePart(address, hand, taste, name) {
    const page = await here.raters.rater(address, hand === 'touch' ? ON_A_PHONE : {});
    const person = new Person(page, hand, taste);
    await person.begin();
    let seen = false;
    const end = await person.playToEnd(async (place) => {
      if (hand === 'touch') assert.equal(await isTooWide(page), false, `${name}: ${place.screen} is too wide`);
      if (place.screen !== 'trial' || seen || taste > 0) return;
      seen = true;
      await examine(page, name);
    });
    assert.equal(end.screen, 'end');
    assert.equal(await page.locator('main > [data-ending]').getAttribute('data-ending'), 'completed');
    assert.deepEqual(faultsOf(page), []);
    await page.context().close();
    return person;
  }
});

/**
 * Asserts that the log says how large the images of every trial were. A scale holds until the next one.
 * @param {Kept} kept
 * @param {Person} person
 */
function isScaledAsSeen(kept, person) {
  for (const { trial, factor } of person.scales) {
    const logged = kept.scales.findLast((scaled) => scaled.trial <= trial)?.scale.factor ?? NaN;
    assert.ok(Math.abs(logged / factor - 1) < 0.01, `trial ${trial}: ${logged} is logged, and ${factor} was shown`);
  }
  const factors = kept.scales.map(({ scale }) => scale.factor);
  assert.ok(
    factors.every((factor, at) => factor !== factors[at - 1]),
    'a scale is logged again only if it changes',
  );
}
