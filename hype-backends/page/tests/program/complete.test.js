// A study that asks everything that a study of comparisons can: three criteria with ties and a reason, gold comparisons and
// repeats, surveys before and after, a closer look, and one step back. The log equals what was done.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { examine } from '../browser/axe.js';
import { Close } from '../browser/close.js';
import { Person } from '../browser/person.js';
import { ON_A_PHONE, faultsOf, isTooWide } from '../browser/raters.js';
import { shoot } from '../browser/shots.js';
import { sized } from '../size.js';
import { sessionOf } from './log.js';
import { built } from './program.js';
import { setting } from './setting.js';
import { complete, contrast } from './studies.js';

/**
 * @import { Page } from "playwright-core"
 * @import { Given, Hand, Place } from "../browser/person.js"
 */

/** The hands, each with a language and its direction. @type {[Hand, string][]} */
const PEOPLE = sized(
  [
    ['mouse', 'en'],
    ['keyboard', 'ar'],
    ['touch', 'zh'],
    ['touch', 'de'],
    ['mouse', 'es'],
  ],
  [['keyboard', 'ar']],
);

/** Returns to the trial before. @param {Person} person */
async function back(person) {
  if (person.hand === 'keyboard') await person.page.keyboard.press('Backspace');
  else await person.act('back');
}

/** What an answer says that the form shows before anything is chosen. @param {Page} page @returns {Promise<string[]>} */
const chosen = (page) =>
  page
    .locator('.questions input:checked')
    .evaluateAll((inputs) => inputs.map((input) => /** @type {HTMLInputElement} */ (input).value));

describe('a study that asks everything', { ...built, concurrency: 2 }, () => {
  const here = setting();

  for (const [taste, [hand, language]] of PEOPLE.entries()) {
    test(`by ${hand}, in ${language}: the log equals what was done`, async () => {
      const program = await here.studies.serve({ ...complete, raters: { per_item: 2 } }, { zoom: true });
      const options = { ...(hand === 'touch' ? ON_A_PHONE : {}), locale: language };
      const page = await here.raters.rater(program.raters, options);
      const person = new Person(page, hand, taste);
      const close = new Close(page);
      /** The first answer to the trial that is corrected. @type {Given | undefined} */
      let before;
      const fits = async (/** @type {Place} */ place) => {
        await examine(page, `${hand}: ${JSON.stringify(place)}`);
        if (hand === 'touch') assert.equal(await isTooWide(page), false, JSON.stringify(place));
      };
      await person.begin(async (place) => {
        await fits(place);
        if (language === 'en' || language === 'de') await shoot(page, `survey-${Number(place.trial?.split('.')[0])}`);
      });
      const first = person.given.length;
      for (let place = await person.settled(); place.screen !== 'end'; place = await person.settled(place)) {
        const number = Number(place.trial?.split('.')[0]);
        // The comparisons after the first have its layout.
        if (sized(true, number <= first || number > first + 7)) await fits(place);
        if (number === first) {
          assert.equal(await page.locator('[data-action=back]').count(), 0, 'nothing comes before the first trial');
          if (hand === 'keyboard') await page.keyboard.press('+');
          else await person.press(close.tool('in'));
          await close.looked();
          if (hand === 'keyboard') await page.keyboard.press(await close.keyOf('flip'));
          else await person.press(close.tool('flip'));
          await close.looked();
          if (hand === 'keyboard') await page.keyboard.press('Escape');
          else await person.press(close.tool('whole'));
        }
        if (number === first + 2 && before === undefined) {
          // Once to look, and once to correct.
          await back(person);
          const looked = await person.settled(place);
          assert.equal(looked.trial, `${number - 1}.0 again`);
          await fits(looked);
          await shoot(page, 'correcting');
          before = person.given.pop();
          const shown = await chosen(page);
          assert.equal(shown.length, 3);
          for (const value of shown) assert.ok(Object.values(before?.answer ?? {}).includes(value), value);
          if (hand === 'keyboard') await page.keyboard.press('Backspace');
          else await person.act('keep');
          assert.deepEqual(await person.settled(looked), place);
          await back(person);
          const again = await person.settled(place);
          person.taste += 1;
          await person.answer({ ...again, trial: `${number - 1}.0` });
          assert.deepEqual(await person.settled(again), place);
        }
        if (number > first + 7) await shoot(page, `after-${number - first - 8}`);
        await person.answer(place);
      }
      assert.deepEqual(faultsOf(page), []);
      const kept = sessionOf(await program.log(), person);
      const corrected = person.given.find(({ trial }) => trial === first + 1);
      assert.ok(before !== undefined && corrected !== undefined);
      // The log has both answers, and the first one in its place.
      const first_answers = person.given.map((given) => (given.trial === before?.trial ? before : given));
      assert.deepEqual(
        kept.answers.map(({ trial, answer }) => ({ trial, answer })),
        first_answers,
      );
      assert.deepEqual(kept.corrections, [{ trial: corrected.trial, revision: 1, answer: corrected.answer }]);
      assert.equal(kept.inspected[0]?.trial, first);
      assert.ok((kept.inspected[0]?.inspection.looks.length ?? 0) >= 2);
      assert.equal(kept.ending, 'completed');
      assert.match(await program.verify(), /replayed 1 session/);
    });
  }

  test('a rater who is screened out is told so kindly, and given the code for it', async () => {
    const spec = {
      ...contrast,
      name: 'screening',
      before: [{ kind: 'expertise', of: 'art', screen_out: ['none', 'little', 'hobby', 'trained'] }],
    };
    const completion = { screened_out: { code: 'OTHERS' } };
    const program = await here.studies.serve(spec, { completion });
    const page = await here.raters.rater(program.raters);
    const person = new Person(page);
    await person.consent();
    const place = await person.answerSurveys();
    assert.equal(place.screen, 'end');
    await examine(page, 'screened out');
    await shoot(page, 'screened-out');
    assert.equal(await page.locator('[data-ending]').getAttribute('data-ending'), 'screened-out');
    assert.match(await page.locator('main').innerText(), /OTHERS/);
    const kept = sessionOf(await program.log(), person);
    assert.equal(kept.ending, 'screened-out');
  });
});
