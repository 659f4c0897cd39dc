// Tasks with time limits, with images of four sizes, in `./test` each with one task, in five windows: either everything is visible at once, or the page says
// before consent that the screen is too small, and `hype check` says the same.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Person } from '../browser/person.js';
import { arriveAt, faultsOf } from '../browser/raters.js';
import { sized } from '../size.js';
import { built } from './program.js';
import { setting } from './setting.js';
import { NEEDS, fooling, generated, hypeTime, real } from './studies.js';

/**
 * @import { Page } from "playwright-core"
 * @import { Spec } from "./studies.js"
 */

/** @typedef {{ width: number, height: number }} Size */

/** @type {Size[]} */
const IMAGES = [
  { width: 64, height: 64 },
  { width: 512, height: 512 },
  { width: 1536, height: 1024 },
  { width: 2048, height: 2048 },
];

/** @type {Size[]} */
const WINDOWS = [
  { width: 1280, height: 720 },
  { width: 1366, height: 768 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
  { width: 390, height: 844 },
];

/** The smallest window that `hype check` wants everything to fit. */
const USUAL = { width: 1280, height: 720 };

/** Few images, which are prepared quickly. */
const STIMULI = { real: real('000[1-6]'), ...generated(['good'], '000[1-6]') };

/** Masks that need no synthesis. */
const MASKS = { kind: 'files', images: '../drawn/images/real/000[7-9].png' };

/** The studies with the number of images on a screen. @type {[Spec, number][]} */
const STUDIES = [
  [{ ...hypeTime(), stimuli: STIMULI, masks: MASKS, raters: { per_model: 2, qualification: null } }, 1],
  [{ ...fooling({ exposure_ms: 100, feedback_ms: 100 }), stimuli: STIMULI }, 2],
];

/** Whether a window is large enough. @param {Size} needed @param {Size} window */
const covers = (needed, window) => needed.width <= window.width && needed.height <= window.height;

describe('images of tasks with time limits', { ...built, concurrency: 2 }, () => {
  const here = setting();

  for (const [at, [spec, across]] of STUDIES.entries()) {
    const some = IMAGES.filter((_, size) => size % 2 === at);
    for (const size of sized(IMAGES, some)) {
      test(`${spec.name} with ${size.width} × ${size.height} pixels`, async () => {
        const page = { needs: NEEDS, resize: { fit: 'exact', ...size }, enlarge: 'lanczos' };
        const program = await here.studies.serve(spec, page);
        const found = await program.check();
        assert.ok(found.some(({ code }) => code === 'no-effect'));
        const stated = neededBy(found.find(({ code }) => code === 'large-images')?.message ?? '');
        const needed = stated ?? USUAL;
        const fitting = WINDOWS.filter((window) => covers(needed, window));
        // Without a warning everything fits the usual window, and all larger ones.
        if (stated !== null) assert.ok(!covers(stated, USUAL), JSON.stringify(stated));
        const rater = await here.raters.rater(program.raters);
        await arriveAt(rater, 'consent');
        for (const window of WINDOWS) {
          await rater.setViewportSize(window);
          if (fitting.includes(window)) {
            await rater.locator('[data-refused]').waitFor({ state: 'detached' });
          } else {
            const said = rater.locator('[data-refused]', { hasText: `and yours has ${written(window)}` });
            await said.waitFor();
            if (stated !== null) assert.ok((await said.innerText()).includes(`the study needs ${written(stated)}`));
          }
        }
        if (fitting.length > 0) await isSeenIn(fitting, rater, { width: size.width * across, height: size.height });
        assert.deepEqual(faultsOf(rater), []);
        const log = await program.log();
        assert.equal(log.length, Math.min(1, fitting.length), 'a screen that is too small takes no place');
        await rater.context().close();
      });
    }
  }
});

/** The screen that a warning names. @param {string} message @returns {Size | null} */
function neededBy(message) {
  const [, width, height] = /raters need a screen of (\d+) × (\d+) pixels/.exec(message) ?? [];
  return width === undefined ? null : { width: Number(width), height: Number(height) };
}

/** A size as the page writes it. @param {Size} size */
const written = ({ width, height }) => `${width.toLocaleString('en')} × ${height.toLocaleString('en')}`;

/**
 * Takes part with a trial in each window, and asserts that there is room for the images, whole, next to the questions.
 * @param {readonly Size[]} windows
 * @param {Page} page
 * @param {Size} images all of them side by side
 */
async function isSeenIn(windows, page, images) {
  const left = [...windows];
  const person = new Person(page);
  await page.setViewportSize(left[0] ?? USUAL);
  await person.begin();
  await person.playToEnd(async ({ screen }) => {
    if (screen === 'timed') {
      assert.deepEqual(await faultsOfStage(page, images), [], JSON.stringify(left[0]));
      left.shift();
    }
    // The next trial is laid out in the next window.
    if (left[0] !== undefined) await page.setViewportSize(left[0]);
  });
  assert.deepEqual(left, []);
}

/**
 * What is wrong with the layout of a trial with a time limit.
 * @param {Page} page
 * @param {Size} images
 */
function faultsOfStage(page, images) {
  return page.evaluate(({ width, height }) => {
    const faults = [];
    const stage = document.querySelector('.stage-canvas')?.getBoundingClientRect() ?? new DOMRect();
    const isInside = (/** @type {DOMRect} */ { left, top, right, bottom }) =>
      left >= 0 && top >= 0 && right <= innerWidth + 0.5 && bottom <= innerHeight + 0.5;
    if (!isInside(stage)) faults.push('the stage is cut');
    if (stage.width < width || stage.height < height) {
      faults.push(`images of ${width} × ${height} pixels stand on a stage of ${stage.width} × ${stage.height}`);
    }
    for (const asked of document.querySelectorAll('.panel :is(.question, button)')) {
      const box = asked.getBoundingClientRect();
      if (!isInside(box)) faults.push(`cut: ${asked.textContent}`);
      const apart =
        box.left >= stage.right || box.right <= stage.left || box.top >= stage.bottom || box.bottom <= stage.top;
      if (!apart) faults.push(`over the images: ${asked.textContent}`);
    }
    return faults;
  }, images);
}
