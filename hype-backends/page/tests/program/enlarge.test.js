// Small images enlarged by a Lanczos kernel: what is on the screen is what the kernel says, and the log says which it was.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { faultsOfLayout } from '../browser/layout.js';
import { Person } from '../browser/person.js';
import { PHONE, faultsOf } from '../browser/raters.js';
import { sized } from '../size.js';
import { sessionOf } from './log.js';
import { built } from './program.js';
import { setting } from './setting.js';
import { contrast, editing } from './studies.js';

/**
 * @import { Page } from "playwright-core"
 */

const LANCZOS = fileURLToPath(new URL('../../assets/lanczos.js', import.meta.url));
const SIDE = 256;
const LARGE = { width: 1920, height: 1080 };

describe('enlarged images', built, () => {
  const here = setting();

  for (const spec of sized([contrast, editing], [editing])) {
    test(`${spec.name}: \`enlarge: lanczos\` interpolates images that are enlarged, and no others`, async () => {
      const resize = { fit: 'exact', width: SIDE, height: SIDE };
      const program = await here.studies.serve(spec, { resize, enlarge: 'lanczos' });
      const page = await here.raters.rater(program.raters, { viewport: LARGE });
      const person = new Person(page);
      await person.begin();
      await person.playToEnd(async ({ screen }) => {
        if (screen !== 'trial') return;
        assert.deepEqual(await factors(page), [2, 2]);
        await page.setViewportSize(PHONE);
        assert.deepEqual(await faultsOfLayout(page), []);
        assert.deepEqual(await factors(page), [1, 1]);
        await page.setViewportSize(LARGE);
        assert.deepEqual(await faultsOfLayout(page), []);
        assert.deepEqual(await factors(page), [2, 2]);
      });
      assert.deepEqual(faultsOf(page), []);
      const [logged] = sessionOf(await program.log(), person).scales;
      assert.deepEqual(logged?.scale, { factor: 2, pixel_ratio: 1, enlarge: 'lanczos' });
    });
  }
});

/**
 * By how much each image of a trial is enlarged, as its copy says; 1 without a copy. Asserts that copies have the pixels of
 * the kernel, cover their images, and leave the images' names to assistive technologies.
 * @param {Page} page
 * @returns {Promise<number[]>}
 */
async function factors(page) {
  // The program serves it as a part of the joined module only.
  await page.route('**/assets/lanczos.js', (route) => route.fulfill({ path: LANCZOS }));
  const found = await page.evaluate(async (module) => {
    const { enlarged } = await import(module);
    const images = /** @type {HTMLImageElement[]} */ ([...document.querySelectorAll('.trial img.scaled')]);
    return Promise.all(
      images.map(async (image) => {
        const copy = image.nextElementSibling;
        if (!(copy instanceof HTMLCanvasElement && copy.classList.contains('enlarged'))) {
          return { factor: 1, faults: getComputedStyle(image).opacity === '1' ? [] : ['the image is hidden'] };
        }
        await image.decode();
        const { naturalWidth: width, naturalHeight: height } = image;
        const drawn = new OffscreenCanvas(width, height).getContext('2d');
        drawn?.drawImage(image, 0, 0);
        const factor = copy.width / width;
        const wanted = enlarged(drawn?.getImageData(0, 0, width, height), factor).data;
        const pixels = copy.getContext('2d')?.getImageData(0, 0, copy.width, copy.height).data ?? [];
        const [box, own] = [copy.getBoundingClientRect(), image.getBoundingClientRect()];
        const faults = [];
        if (pixels.length !== wanted.length || !pixels.every((value, at) => value === wanted[at])) {
          faults.push('the copy has other pixels');
        }
        if (box.width !== copy.width || box.x !== own.x || box.y !== own.y || box.height !== own.height) {
          faults.push('the copy is elsewhere');
        }
        if (copy.getAttribute('aria-hidden') !== 'true') faults.push('the copy is read aloud');
        return { factor, faults };
      }),
    );
  }, new URL('assets/lanczos.js', page.url()).href);
  assert.deepEqual(
    found.flatMap(({ faults }) => faults),
    [],
  );
  return found.map(({ factor }) => factor);
}
