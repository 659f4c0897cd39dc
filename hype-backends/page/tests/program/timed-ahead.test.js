// Raters do not wait between trials: the following one is loaded while the current one is judged, and shown before its answer
// has reached the server.

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { encode } from '../../timing/png.js';
import { Person } from '../browser/person.js';
import { faultsOf } from '../browser/raters.js';
import { generator } from '../mock/pictures.js';
import { Distant } from './distant.js';
import { holdsTheAnswers, sessionOf } from './log.js';
import { built } from './program.js';
import { setting } from './setting.js';
import { sized } from '../size.js';
import { likert } from './studies.js';

/** @import { Page } from "playwright-core" */

/** A mobile network: 200 ms there and back, and 10 Mbit/s. */
const NETWORK = { round_trip_ms: 200, bytes_per_second: 1_250_000 };

/** How long the rater looks before answering, in milliseconds. */
const LOOK = 3_000;

/** The side of the images, in pixels, and their number. */
const SIDE = 512;
const ITEMS = sized(17, 8);

describe('no rater waits between trials', { ...built, concurrency: 2 }, () => {
  const here = setting();

  test('from an answer to the next images, 100 ms at 200 ms and 10 Mbit/s', async (context) => {
    for (const [at, model] of ['one', 'two'].entries()) await noise(join(here.studies.folder, 'noise', model), at);
    const program = await here.studies.serve({
      name: 'noise',
      seed: 5,
      stimuli: Object.fromEntries(
        ['one', 'two'].map((model) => [model, { role: 'generated', images: `../noise/${model}/*.png` }]),
      ),
      task: { kind: 'contrast', per_session: ITEMS },
      raters: { per_item: 1 },
    });
    const distant = new Distant(program.raters, NETWORK);
    context.after(() => distant.stop());
    const page = await here.raters.rater(await distant.start());
    const person = new Person(page);
    await person.begin();
    /** @type {number[]} */
    const waits = [];
    let place = await person.settled();
    for (let trial = 0; trial < ITEMS - 1; trial += 1) {
      await page.waitForTimeout(LOOK);
      const wait = nextImages(page, trial + 1);
      await person.answer(place);
      waits.push(await wait);
      place = await person.settled(place);
    }
    await person.answer(place);
    await person.settled(place);
    const median = waits.toSorted((one, other) => one - other)[Math.floor(waits.length / 2)] ?? Infinity;
    context.diagnostic(`median ${Math.round(median)} ms of ${waits.map(Math.round)}`);
    assert.ok(waits.length === ITEMS - 1 && median < 100, `${median} ms of ${waits.map(Math.round)}`);
    await program.ended();
    const kept = sessionOf(await program.log(), person);
    holdsTheAnswers(kept, person);
    assert.deepEqual(kept.overruns, []);
    assert.deepEqual(faultsOf(page), []);
  });

  test('without a network one answer can be given ahead, and a reload loses neither', async () => {
    const program = await here.studies.serve({ ...likert, raters: { per_item: 1 }, task: { kind: 'rating' } });
    const page = await here.raters.rater(program.raters);
    const person = new Person(page);
    await person.begin();
    const first = await person.settled();
    // The following trial's images have to be there.
    await page.waitForLoadState('networkidle');
    await page.context().setOffline(true);
    await person.answer(first);
    const second = await person.settled(first);
    assert.equal(second.trial, '1.0');
    await page.locator('.save-status[data-state=waiting]').waitFor();
    await person.answer(second);
    await page.waitForFunction(() => document.body.dataset['at'] === 'saving');
    page.on('dialog', (dialog) => dialog.accept());
    await page.context().setOffline(false);
    await page.reload();
    const third = await person.settled(second);
    assert.equal(third.trial, '2.0');
    await person.playToEnd();
    await program.ended();
    const kept = sessionOf(await program.log(), person);
    holdsTheAnswers(kept, person);
    assert.deepEqual(kept.overruns, []);
    await program.verify();
  });
});

/**
 * How long it takes from the press that answers until the images of a trial are painted, in milliseconds.
 * @param {Page} page
 * @param {number} trial
 * @returns {Promise<number>}
 */
function nextImages(page, trial) {
  return page.evaluate(
    (name) =>
      new Promise((resolve) => {
        let pressed = Infinity;
        addEventListener('pointerdown', (event) => (pressed = event.timeStamp), { capture: true, once: true });
        const watch = () => {
          const images = [...document.querySelectorAll('img.scaled')];
          const isNext = document.querySelector(`[data-trial="${name}"]`) !== null;
          const are = images.every((image) => image instanceof HTMLImageElement && image.complete && image.width > 0);
          if (isNext && images.length > 0 && are) requestAnimationFrame((painted) => resolve(painted - pressed));
          else requestAnimationFrame(watch);
        };
        watch();
      }),
    `${trial}.0`,
  );
}

/** Writes images that cannot be compressed. @param {string} folder @param {number} seed */
async function noise(folder, seed) {
  await mkdir(folder, { recursive: true });
  for (let item = 0; item < ITEMS; item += 1) {
    const random = generator(seed * 1000 + item);
    const value = () => Math.floor(random() * 256);
    const image = encode(SIDE, SIDE, () => [value(), value(), value()]);
    await writeFile(join(folder, `${String(item).padStart(4, '0')}.png`), image);
  }
}
