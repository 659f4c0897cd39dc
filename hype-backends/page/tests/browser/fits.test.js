// What is judged and what is asked are visible together, at one scale, whatever the size of the images and the window, with the
// narrowest and the widest of common fonts. In `./test` each font has two sizes of images.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { sized } from '../size.js';
import { Bench } from './bench.js';
import { twoFonts } from './fonts.js';
import { faultsOfLayout } from './layout.js';
import { Person } from './person.js';

const WINDOWS = [
  { width: 1280, height: 720 },
  { width: 1366, height: 768 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
  { width: 390, height: 844 },
];

/**
 * The scale of each trial by the size of its images and of its window, as `hype check` states it.
 * @type {Record<string, Record<string, number[]>>}
 */
const STATED = JSON.parse(await readFile(new URL('scales.json', import.meta.url), 'utf8'));

/** How many times as large as stated images may be. */
const BETTER = 2;

/** The sizes of images, in pixels, and those of `./test` with each font. */
const SIZES = ['64x64', '256x256', '512x512', '1024x1024', '1536x1024', '2048x2048'];
const SOME = [[], ['2048x2048']];

for (const [at, { family, config }] of (await twoFonts()).entries()) {
  describe(`with ${family}`, { concurrency: 2 }, () => {
    /** @type {Bench} */
    let bench;
    before(async () => {
      bench = await Bench.open({ FONTCONFIG_FILE: config });
    });
    after(() => bench.close());

    for (const images of sized(SIZES, SOME[at] ?? [])) {
      test(`images of ${images} pixels stand next to their questions in every window`, async () => {
        const page = await bench.rater({ study: 'untimed', images });
        const person = new Person(page);
        await person.begin();
        /** @type {string[]} */
        const faults = [];
        let trials = 0;
        await person.playToEnd(async ({ screen, trial }) => {
          if (screen !== 'trial') return;
          trials += 1;
          for (const size of WINDOWS) {
            await page.setViewportSize(size);
            const where = `trial ${trial} at ${size.width} × ${size.height}`;
            for (const fault of await faultsOfLayout(page)) faults.push(`${where}: ${fault}`);
            const scale = Number(await page.locator('.trial').getAttribute('data-scale'));
            const stated = STATED[images]?.[`${size.width}x${size.height}`]?.[trials - 1] ?? NaN;
            if (!(scale >= stated * 0.998 && scale <= stated * BETTER)) {
              faults.push(`${where}: the scale is ${scale}, and ${stated} is stated`);
            }
          }
          await page.setViewportSize({ width: 1280, height: 720 });
        });
        assert.equal(trials, 8);
        assert.deepEqual(faults, []);
        await page.context().close();
      });
    }
  });
}
