// Contact sheets: screenshots with captions in a grid, drawn by the browser and encoded as WebP.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * @import { Raters } from "../tests/browser/raters.js"
 */

/** A screenshot with its caption. @typedef {{ caption: string, png: Buffer }} Shot */

/** A sheet. @typedef {{ name: string, shots: Shot[], columns: number }} Sheet */

/** The width of sheets in pixels, and the quality of WebP. */
const WIDTH = 1920;
const QUALITY = 0.8;

/**
 * Writes a contact sheet.
 * @param {Raters} raters
 * @param {string} folder
 * @param {string} name
 * @param {readonly Shot[]} shots
 * @param {number} columns
 */
export async function sheet(raters, folder, name, shots, columns) {
  const context = await raters.browser.newContext({ viewport: { width: WIDTH, height: 100 } });
  const page = await context.newPage();
  const figures = shots.map(
    ({ caption, png }) =>
      `<figure><img src="data:image/png;base64,${png.toString('base64')}"><figcaption>${caption}</figcaption></figure>`,
  );
  await page.setContent(`<style>
    body { margin: 0; padding: 16px; background: #3a3a3a; color: #fff; font: 16px sans-serif; }
    main { display: grid; grid-template-columns: repeat(${columns}, 1fr); gap: 16px; align-items: start; }
    figure { margin: 0; }
    figcaption { padding-top: 4px; }
    img { display: block; width: 100%; }
  </style><main>${figures.join('')}</main>`);
  await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())));
  const drawn = await page.screenshot({ fullPage: true });
  const encoded = await page.evaluate(
    async ([source, quality]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${source}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
      canvas.getContext('2d')?.drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', quality).split(',')[1] ?? '';
    },
    /** @type {const} */ ([drawn.toString('base64'), QUALITY]),
  );
  await writeFile(join(folder, `${name}.webp`), Buffer.from(encoded, 'base64'));
  await context.close();
}
