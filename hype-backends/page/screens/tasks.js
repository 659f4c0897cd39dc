// Screenshots of all tasks in four windows, from left to right and from right to left.

import { Person } from '../tests/browser/person.js';
import { Studies } from '../tests/program/program.js';
import * as study from '../tests/program/studies.js';

/**
 * @import { Raters } from "../tests/browser/raters.js"
 * @import { Program } from "../tests/program/program.js"
 * @import { Sheet, Shot } from "./sheet.js"
 */

const WINDOW = { width: 1280, height: 720 };
const WINDOWS = [WINDOW, { width: 1366, height: 768 }, { width: 1920, height: 1080 }, { width: 390, height: 844 }];

const LANGUAGES = ['en', 'ar'];

/** The side of the images, in pixels: that of many models. */
const SIDE = 512;

/** Enough raters for every language. */
const MANY = 6;

/** The untimed studies. */
const UNTIMED = study.untimed(MANY);

/** Trials with an exposure long enough for a screenshot, and at least one trial for each window. */
const TIMED = {
  ...study.fooling({ exposure_ms: 3_000, trials: 4, practice: 0 }),
  stimuli: { real: study.real('*'), ...study.generated(['good'], '*') },
  raters: { per_model: MANY },
};

/** How long after the beginning of a presentation its images are there. */
const DRAWN_MS = 700;

/** Phones are refused for timed tasks. @param {{ width: number }} window */
const showsTimed = ({ width }) => width > 600;

/**
 * The sheets of all tasks.
 * @param {Raters} raters
 * @returns {AsyncGenerator<Sheet>}
 */
export async function* shotsOfTasks(raters) {
  const studies = await Studies.draw(SIDE);
  try {
    const untimed = await Promise.all(
      UNTIMED.map((spec) => studies.serve(spec, { title: 'Photographs and paintings' })),
    );
    const timed = await studies.serve(TIMED, { needs: study.NEEDS, resize: { fit: 'exact', width: 256, height: 256 } });
    for (const language of LANGUAGES) {
      /** @type {Map<string, Shot[]>} */
      const shots = new Map(WINDOWS.map(({ width, height }) => [`${width}x${height}`, []]));
      const add = (/** @type {{ width: number, height: number }} */ { width, height }, /** @type {Shot} */ shot) =>
        shots.get(`${width}x${height}`)?.push(shot);
      for (const program of untimed) await shootUntimed(raters, program, language, add);
      await shootTimed(raters, timed, language, add);
      for (const [size, taken] of shots) {
        const columns = size.startsWith('390') ? 6 : 4;
        yield { name: `tasks-${size}-${language}`, shots: taken, columns };
      }
    }
  } finally {
    await studies.close();
  }
}

/**
 * @param {Raters} raters
 * @param {Program} program
 * @param {string} locale
 * @param {(window: { width: number, height: number }, shot: Shot) => unknown} add
 */
async function shootUntimed(raters, program, locale, add) {
  const page = await raters.rater(program.raters, { locale });
  const person = new Person(page);
  await person.begin();
  await person.settled();
  for (const window of WINDOWS) {
    await page.setViewportSize(window);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    add(window, { caption: program.study.name, png: await page.screenshot({ animations: 'disabled' }) });
  }
  await page.context().close();
}

/**
 * @param {Raters} raters
 * @param {Program} program
 * @param {string} locale
 * @param {(window: { width: number, height: number }, shot: Shot) => unknown} add
 */
async function shootTimed(raters, program, locale, add) {
  const page = await raters.rater(program.raters, { locale });
  const person = new Person(page);
  const [first, ...left] = WINDOWS.filter(showsTimed);
  let window = first ?? WINDOW;
  const shoot = async (/** @type {string} */ what) => {
    add(window, { caption: `${program.study.name}: ${what}`, png: await page.screenshot() });
  };
  await page.setViewportSize(window);
  await person.begin();
  let place = await person.settled();
  for (;;) {
    if (place.screen === 'ready') await shoot('before brief images');
    if (place.screen === 'timed') {
      await shoot('the question');
      const next = left.shift();
      if (next === undefined) break;
      window = next;
      await page.setViewportSize(window);
    }
    await person.answer(place);
    await page.locator('[data-screen=timed][data-step=showing]').waitFor();
    // The images are drawn a few frames after the stage.
    await page.waitForTimeout(DRAWN_MS);
    await shoot('the images');
    place = await person.settled(place);
  }
  await page.context().close();
}
