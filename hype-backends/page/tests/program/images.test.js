// Images as sent: whatever they are encoded as, the browser shows the pixels of the files, and all have one length.

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Person } from '../browser/person.js';
import { faultsOf } from '../browser/raters.js';
import { sized } from '../size.js';
import { built } from './program.js';
import { setting } from './setting.js';
import { bestOf } from './studies.js';

/** @import { Page } from "playwright-core" */

/**
 * The pixels that the browser decodes from a file, as a digest.
 * @param {Page} page
 * @param {Buffer} file
 * @returns {Promise<string>}
 */
const pixelsOf = (page, file) =>
  page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes]));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('there is no canvas');
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', data));
    return `${bitmap.width}x${bitmap.height} ${[...digest].join(' ')}`;
  }, file.toString('base64'));

/** Settings, the type of the files that are sent, and whether their pixels are those of the study's files. @type {[unknown, RegExp, boolean][]} */
const KINDS = [
  [undefined, /^image\/(png|webp)$/, true],
  [{ kind: 'webp' }, /^image\/webp$/, true],
  [{ kind: 'png' }, /^image\/png$/, true],
  [{ kind: 'jpeg', quality: 90 }, /^image\/jpeg$/, false],
];

describe('images as sent', built, () => {
  const here = setting();

  for (const [encode, type, exact] of sized(KINDS, KINDS.slice(0, 1))) {
    test(`${JSON.stringify(encode) ?? 'without a setting'}`, async () => {
      const program = await here.studies.serve(bestOf, encode === undefined ? {} : { encode });
      const page = await here.raters.rater(program.raters);
      /** @type {{ type: string, file: Buffer }[]} */
      const images = [];
      await page.route('**/image/**', async (route) => {
        const response = await route.fetch();
        const file = await response.body();
        images.push({ type: response.headers()['content-type'] ?? '', file });
        await route.fulfill({ response, body: file });
      });
      const person = new Person(page);
      await person.begin();
      await person.playToEnd();
      assert.ok(images.length >= 9, `${images.length} images`);
      assert.equal(new Set(images.map(({ file }) => file.length)).size, 1, 'all have one length');
      assert.equal(new Set(images.map((image) => image.type)).size, 1, 'all have one type');
      assert.match(images[0]?.type ?? '', type);

      const drawn = join(here.studies.folder, 'drawn', 'images');
      const originals = new Set();
      for (const set of await readdir(drawn)) {
        for (const name of await readdir(join(drawn, set))) {
          originals.add(await pixelsOf(page, await readFile(join(drawn, set, name))));
        }
      }
      const seen = await Promise.all(images.map(({ file }) => pixelsOf(page, file)));
      assert.equal(new Set(seen).size, images.length, 'no image is sent twice');
      assert.ok(
        seen.every((pixels) => originals.has(pixels) === exact),
        'pixels change if and only if the encoding has losses',
      );
      assert.deepEqual(faultsOf(page), []);
    });
  }
});
