// Studies of clips and texts, from consent to the end page, by mouse, by keyboard alone and by touch on a phone: the log has the
// answers and says how each clip was played and each text read.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { examine } from '../browser/axe.js';
import { Person } from '../browser/person.js';
import { ON_A_PHONE, Raters, faultsOf, isTooWide } from '../browser/raters.js';
import { sized } from '../size.js';
import { holdsTheAnswers, sessionOf } from './log.js';
import { built } from './program.js';
import { setting } from './setting.js';

/**
 * @import { Hand } from "../browser/person.js"
 * @import { Kept } from "./log.js"
 * @import { Spec } from "./studies.js"
 */

/** In `./test` a clip is begun by mouse elsewhere, and texts are read in the same way by mouse and by keyboard. @type {Hand[]} */
const HANDS = sized(['mouse', 'keyboard', 'touch'], ['keyboard', 'touch']);

const EXAMPLES = fileURLToPath(new URL('../../../../examples/studies/', import.meta.url));

/** @param {string} model @param {string} files */
const clips = (model, files) => ({ role: 'generated', videos: `${EXAMPLES}clips/${model}/${files}.mp4` });

/** @param {string} model @param {string} files */
const texts = (model, files) => ({ role: 'generated', texts: `${EXAMPLES}answers/${model}/${files}.md` });

const TWO_CLIPS = { smooth: clips('smooth', '[gz]*'), stuttering: clips('stuttering', '[gz]*') };
const TWO_TEXTS = { plain: texts('plain', 't*'), florid: texts('florid', 't*') };
// On a busy machine clips stand still: that voids a trial is tested elsewhere.
const PLAYBACK = { stalls_at_most_ms: 60_000 };
const COMMON = { seed: 5, items: { match: 'name' }, playback: PLAYBACK, raters: { per_item: HANDS.length } };
const CRITERIA = [
  { name: 'motion', question: 'Which moves more naturally?', tie: true },
  { name: 'sharpness', question: 'Which is sharper?', tie: true },
];

/** The studies, each with the number of clips or texts of a trial. @type {(Spec & { shown: number, few: boolean })[]} */
const STUDIES = [
  {
    ...COMMON,
    name: 'clips-criteria',
    stimuli: TWO_CLIPS,
    task: { kind: 'contrast', criteria: CRITERIA },
    shown: 2,
    few: true,
  },
  { ...COMMON, name: 'clips-pick', stimuli: TWO_CLIPS, task: { kind: 'contrast', tie: true }, shown: 2, few: false },
  {
    ...COMMON,
    name: 'clips-acr',
    stimuli: { smooth: clips('smooth', 'g*') },
    task: { kind: 'rating' },
    rubric: { kind: 'opinion', method: 'acr' },
    shown: 1,
    few: false,
  },
  { ...COMMON, name: 'clips-ranking', stimuli: TWO_CLIPS, task: { kind: 'ranking', ties: true }, shown: 2, few: false },
  {
    ...COMMON,
    name: 'texts-criteria',
    stimuli: TWO_TEXTS,
    task: { kind: 'contrast', criteria: CRITERIA },
    shown: 2,
    few: false,
  },
  { ...COMMON, name: 'texts-pick', stimuli: TWO_TEXTS, task: { kind: 'contrast', tie: true }, shown: 2, few: true },
];

/** The studies that are rated in the other browser, too. */
const IN_FIREFOX = sized(['clips-criteria', 'texts-pick'], []);

describe('clips and texts', { ...built, concurrency: 2 }, () => {
  const here = setting();
  for (const { shown, few, ...spec } of STUDIES) {
    if (!sized(true, few)) continue;
    test(`${spec.name}: answers and what was seen are stored`, async () => {
      const program = await here.studies.serve(spec);
      const people = await Promise.all(HANDS.map((hand, taste) => takePart(program.raters, hand, taste, spec.name)));
      const { code, said } = await program.ended();
      assert.equal(code, 0, said);
      const log = await program.log();
      assert.equal(log.length, HANDS.length);
      for (const person of people) {
        const kept = sessionOf(log, person);
        assert.equal(kept.ending, 'completed');
        holdsTheAnswers(kept, person);
        isSeen(kept, shown);
      }
      assert.match(await program.verify(), /replayed [23] sessions: their logs agree with the study/);
    });
  }

  for (const { shown, few, ...spec } of STUDIES.filter(({ name }) => IN_FIREFOX.includes(name))) {
    test(`${spec.name}: in Firefox, too`, async () => {
      const program = await here.studies.serve({ ...spec, raters: { per_item: 1 } });
      const raters = await Raters.openFirefox();
      try {
        await takePart(program.raters, 'mouse', 0, spec.name, raters);
      } finally {
        await raters.close();
      }
      const { code, said } = await program.ended();
      assert.equal(code, 0, said);
      const [kept] = await program.log();
      assert.ok(kept);
      assert.equal(kept.ending, 'completed');
      isSeen(kept, shown);
    });
  }

  /**
   * @param {string} address
   * @param {Hand} hand
   * @param {number} taste
   * @param {string} name
   * @param {Raters} [raters]
   */
  async function takePart(address, hand, taste, name, raters = here.raters) {
    const page = await raters.rater(address, hand === 'touch' ? ON_A_PHONE : {});
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
    assert.deepEqual(faultsOf(page), []);
    await page.context().close();
    return person;
  }
});

/**
 * Asserts that every answer came after all of each clip or text was seen.
 * @param {Kept} kept
 * @param {number} shown clips or texts in a trial
 */
function isSeen(kept, shown) {
  assert.deepEqual(
    kept.played.map(({ trial }) => trial),
    kept.answers.map(({ trial }) => trial),
  );
  for (const { trial, played } of kept.played) {
    assert.equal(played.members.length, shown);
    for (const { seen } of played.members) {
      const [first, last] = [seen[0], seen.at(-1)];
      assert.equal(first?.[0], 0, `trial ${trial}: the beginning was not seen`);
      assert.ok((last?.[1] ?? 0) >= 19, `trial ${trial}: seen ${JSON.stringify(seen)}`);
    }
  }
}
