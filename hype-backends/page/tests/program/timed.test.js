// Tasks that show images for a limited time, from consent to the end page: by mouse and by keyboard alone. A phone is
// refused.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Person } from '../browser/person.js';
import { ON_A_PHONE, act, arriveAt, faultsOf } from '../browser/raters.js';
import { shoot } from '../browser/shots.js';
import { holdsTheAnswers, sessionOf } from './log.js';
import { built } from './program.js';
import { setting } from './setting.js';
import { NEEDS, fooling, hypeTime } from './studies.js';

/**
 * @import { Hand } from "../browser/person.js"
 * @import { Kept } from "./log.js"
 */

/** @type {Hand[]} */
const HANDS = ['mouse', 'keyboard'];

describe('tasks with time limits', built, () => {
  const here = setting();

  for (const [spec, timed] of /** @type {const} */ ([
    [hypeTime(), [2, 3, 4, 5]],
    [fooling(), [0, 1, 2, 3, 4]],
  ])) {
    test(`${spec.name}: the answers by mouse and by keyboard are stored`, async () => {
      const program = await here.studies.serve(spec, { needs: NEEDS });
      const people = [];
      for (const [taste, hand] of HANDS.entries()) {
        const page = await here.raters.rater(program.raters);
        const person = new Person(page, hand, taste);
        await person.begin();
        await person.playToEnd();
        assert.equal(await page.locator('main > [data-ending]').getAttribute('data-ending'), 'completed');
        assert.deepEqual(faultsOf(page), []);
        assert.ok(person.met.includes('ready') && person.met.includes('judgment'));
        await page.context().close();
        people.push(person);
      }
      const { code, said } = await program.ended();
      assert.equal(code, 0, said);
      const log = await program.log();
      assert.equal(log.length, HANDS.length);
      for (const person of people) {
        const kept = sessionOf(log, person);
        assert.equal(kept.ending, 'completed');
        holdsTheAnswers(kept, person);
        displaysTheTrials(kept, timed);
      }
      assert.match(await program.verify(), /replayed 2 sessions: their logs agree with the study/);
    });
  }

  test('a phone is refused with the reason and can only leave', async () => {
    const program = await here.studies.serve(hypeTime(), { needs: NEEDS });
    const page = await here.raters.rater(program.raters, ON_A_PHONE);
    const person = new Person(page, 'touch');
    await person.consent();
    await page.locator('[data-refused]').waitFor();
    const said = await page.locator('[data-refused]').innerText();
    assert.match(said, /The screen is too small: the study needs 640 × 480 pixels, and yours has 390 × 844/);
    assert.match(said, /The study needs a keyboard/);
    assert.equal(await page.locator('[data-action=begin]').count(), 0);
    await shoot(page, 'refusal');
    await act(page, 'again');
    await page.locator('[data-refused]').waitFor();
    await person.act('leave');
    await arriveAt(page, 'end');
    const kept = sessionOf(await program.log(), person);
    assert.deepEqual([kept.ending, kept.answers, kept.environment], ['left', [], null]);
    assert.deepEqual(faultsOf(page), []);
  });
});

/**
 * Asserts that every showing of a trial with a time limit has a display report, and no other showing has one.
 * @param {Kept} kept
 * @param {readonly number[]} timed
 */
function displaysTheTrials(kept, timed) {
  const voided = new Set(kept.disturbed.map(({ trial, showing }) => `${trial}.${showing}`));
  const counted = kept.displays.filter(({ trial, showing }) => !voided.has(`${trial}.${showing}`));
  assert.deepEqual(
    counted.map(({ trial }) => trial),
    timed,
  );
  for (const { trial, display } of counted) {
    assert.ok(display.parts.length > 0 && display.parts.every((part) => part.frames >= 1), `trial ${trial}`);
  }
}
