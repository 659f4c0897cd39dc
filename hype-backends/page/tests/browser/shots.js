// Pictures of the screens, for people to look at: only where a folder for them is named.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DESKTOP, PHONE } from './raters.js';

/**
 * @import { Page } from "playwright-core"
 */

/** Where pictures go; `undefined` where none are taken. */
export const FOLDER = process.env['HYPE_PAGE_SHOTS'];

/**
 * Takes a picture of a screen, named after it and the size of the device.
 * @param {Page} page
 * @param {string} name
 */
export async function shoot(page, name) {
  if (FOLDER === undefined) return;
  await mkdir(FOLDER, { recursive: true });
  const size = page.viewportSize() ?? DESKTOP;
  const device = size.width <= PHONE.width ? 'phone' : 'desktop';
  // A window as high as the page shows all of it; what the browser itself offers for that is no phone any more.
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  if (height > size.height) await page.setViewportSize({ ...size, height });
  await page.screenshot({ path: join(FOLDER, `${name}-${device}.png`), animations: 'disabled' });
  if (height > size.height) await page.setViewportSize(size);
}
