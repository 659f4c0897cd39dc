// Looking closely in studies of the program: the log has what was looked at and for how long, and nothing else is requested.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Close } from '../browser/close.js';
import { Person } from '../browser/person.js';
import { ON_A_PHONE, faultsOf } from '../browser/raters.js';
import { holdsTheAnswers, sessionOf } from './log.js';
import { built } from './program.js';
import { sized, testInProof } from '../size.js';
import { setting } from './setting.js';
import { contrast, contrastEach, editing, hypeTime, NEEDS } from './studies.js';

/**
 * @import { Hand } from "../browser/person.js"
 * @import { Spec } from "./studies.js"
 */

/** @type {Hand[]} */
const HANDS = ['mouse', 'keyboard', 'touch'];

/** Studies, and those who take part in them. @type {[Spec, Hand[]][]} */
const STUDIES = [
  [contrast, sized(HANDS, ['mouse'])],
  [contrastEach, sized(HANDS, [])],
  [editing, sized(HANDS, ['touch'])],
];

describe('looking closely in a study', { ...built, concurrency: 2 }, () => {
  const here = setting();

  for (const [spec, hands] of STUDIES.filter(([, hands]) => hands.length > 0)) {
    test(`${spec.name}: by ${hands.join(', ')}, the log equals what was done`, async () => {
      const program = await here.studies.serve(spec, { zoom: true });
      for (const [taste, hand] of hands.entries()) {
        const page = await here.raters.rater(program.raters, hand === 'touch' ? ON_A_PHONE : {});
        const person = new Person(page, hand, taste);
        const close = new Close(page);
        /** @type {string[]} */
        const asked = [];
        page.on('request', (request) => request.url().includes('/image/') && asked.push(request.url()));
        /** What is looked at in each trial, as it is seen. @type {{ trial: number, factor: number, least_us: number }[]} */
        const done = [];
        await person.begin();
        await person.playToEnd(async ({ screen, trial }) => {
          if (screen !== 'trial') return;
          if (hand === 'keyboard') await page.keyboard.press('+');
          else await person.press(close.tool('in'));
          const began = performance.now();
          await close.looked();
          const least_us = (performance.now() - began) * 1000;
          done.push({ trial: Number(trial?.split('.')[0]), factor: await close.factor(), least_us });
          if (hand === 'keyboard') await page.keyboard.press(await close.keyOf('flip'));
          else await person.press(close.tool('flip'));
          await close.looked();
          if (hand === 'keyboard') await page.keyboard.press('Escape');
          else await person.press(close.tool('whole'));
        });
        assert.equal(new Set(asked).size, asked.length, 'a closer look requests no image again');
        const kept = sessionOf(await program.log(), person);
        holdsTheAnswers(kept, person);
        assert.deepEqual(
          kept.inspected.map(({ trial }) => trial),
          done.map(({ trial }) => trial),
        );
        for (const [at, { inspection }] of kept.inspected.entries()) {
          const { factor = NaN, least_us = NaN } = done[at] ?? {};
          const [first, second] = inspection.looks;
          assert.ok(Math.abs((first?.factor ?? NaN) - factor) < 0.01, JSON.stringify([inspection, done[at]]));
          assert.ok((first?.for_us ?? 0) >= least_us, JSON.stringify([inspection, done[at]]));
          assert.equal(second?.front, 0);
          const answer = kept.answers[at];
          const last = inspection.looks.at(-1);
          assert.ok((last?.from_us ?? 0) + (last?.for_us ?? 0) <= (answer?.rt_us ?? 0));
        }
        assert.deepEqual(faultsOf(page), []);
        await page.context().close();
      }
      const sessions = hands.length === 1 ? '1 session' : `${hands.length} sessions`;
      assert.match(await program.verify(), new RegExp(`replayed ${sessions}: their logs agree with the study`));
    });
  }

  testInProof('a task with brief images offers nothing of it, not even in its entry test', async () => {
    const program = await here.studies.serve(hypeTime({ raters: 1 }), { zoom: true, needs: NEEDS });
    const page = await here.raters.rater(program.raters);
    const person = new Person(page);
    await person.begin();
    await person.playToEnd(async () => {
      assert.equal(await page.locator('.closely, .lens').count(), 0);
      await page.keyboard.press('+');
    });
    assert.deepEqual(sessionOf(await program.log(), person).inspected, []);
  });
});
