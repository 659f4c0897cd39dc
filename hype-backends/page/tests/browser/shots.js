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
  const { width } = page.viewportSize() ?? DESKTOP;
  const device = width <= PHONE.width ? 'phone' : 'desktop';
  await page.screenshot({ path: join(FOLDER, `${name}-${device}.png`), fullPage: true, animations: 'disabled' });
}
