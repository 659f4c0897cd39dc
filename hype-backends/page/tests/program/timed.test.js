// Tasks that show images for a limited time, from consent to the end page: by mouse and by keyboard alone. A device that
// cannot show them is told before consent.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Person } from '../browser/person.js';
import { ON_A_PHONE, act, arriveAt, faultsOf } from '../browser/raters.js';
import { shoot } from '../browser/shots.js';
import { sized } from '../size.js';
import { holdsTheAnswers, sessionOf } from './log.js';
import { built } from './program.js';
import { setting } from './setting.js';
import { NEEDS, fooling, hypeTime, timedTexts } from './studies.js';

/**
 * @import { Hand } from "../browser/person.js"
 * @import { Kept } from "./log.js"
 * @import { Spec } from "./studies.js"
 */

/** @type {Hand[]} */
const HANDS = ['mouse', 'keyboard'];

describe('tasks with time limits', built, () => {
  const here = setting();

  for (const [spec, timed, hands] of /** @type {[Spec, number[], Hand[]][]} */ ([
    [hypeTime({ raters: sized(2, 1) }), [2, 3, 4, 5], sized(HANDS, ['keyboard'])],
    [fooling({}, sized(2, 1)), [0, 1, 2, 3, 4], sized(HANDS, ['mouse'])],
  ])) {
    test(`${spec.name}: the answers by ${hands.join(' and by ')} are stored`, async () => {
      const program = await here.studies.serve(spec, { needs: NEEDS });
      const people = [];
      for (const [taste, hand] of hands.entries()) {
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
      assert.equal(log.length, hands.length);
      for (const person of people) {
        const kept = sessionOf(log, person);
        assert.equal(kept.ending, 'completed');
        holdsTheAnswers(kept, person);
        displaysTheTrials(kept, timed);
        assert.equal(kept.scales.at(-1)?.scale.factor, 1);
      }
      assert.match(await program.verify(), /replayed [12] sessions?: their logs agree with the study/);
    });
  }

  test('texts are shown for seconds, then their masks: the answers are stored', async () => {
    const program = await here.studies.serve(timedTexts);
    const page = await here.raters.rater(program.raters);
    const person = new Person(page, 'keyboard');
    await person.begin();
    await person.playToEnd();
    assert.equal(await page.locator('main > [data-ending]').getAttribute('data-ending'), 'completed');
    assert.deepEqual(faultsOf(page), []);
    const { code, said } = await program.ended();
    assert.equal(code, 0, said);
    const kept = sessionOf(await program.log(), person);
    holdsTheAnswers(kept, person);
    displaysTheTrials(kept, [0, 1, 2, 3]);
    assert.match(await program.verify(), /replayed 1 session/);
  });

  test('a phone is told before consent, takes no place, and can decline', async () => {
    const program = await here.studies.serve(hypeTime(), { needs: NEEDS });
    const page = await here.raters.rater(program.raters, ON_A_PHONE);
    await page.locator('[data-refused]').waitFor();
    const said = await page.locator('[data-refused]').innerText();
    assert.match(said, /The screen is too small: the study needs 640 × 480 pixels, and yours has 390 × 844/);
    assert.match(said, /The study needs a keyboard/);
    assert.equal(await page.locator('[data-action=agree]:visible').count(), 0);
    await shoot(page, 'refusal');
    await act(page, 'again');
    await page.locator('[data-refused]').waitFor();
    await act(page, 'decline');
    await arriveAt(page, 'declined');
    assert.deepEqual(await page.context().cookies(), []);
    assert.deepEqual(await program.log(), []);
    assert.deepEqual(faultsOf(page), []);
  });

  test('a window that is too small for the images is told before consent, and may take part once it is larger', async () => {
    const program = await here.studies.serve(hypeTime(), { needs: { ...NEEDS, width: 1000, height: 700 } });
    const page = await here.raters.rater(program.raters, { viewport: { width: 900, height: 600 } });
    await page.locator('[data-refused]').waitFor();
    assert.match(
      await page.locator('[data-refused]').innerText(),
      /the study needs 1,000 × 700 pixels, and yours has 900 × 600/,
    );
    await page.setViewportSize({ width: 1000, height: 700 });
    await page.locator('[data-refused]').waitFor({ state: 'detached' });
    const person = new Person(page);
    await person.begin();
    await person.playToTrial();
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
