// Screenshots for documentation, taken only if a folder for them is set.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DESKTOP, PHONE } from './raters.js';

/**
 * @import { Page } from "playwright-core"
 */

/** The folder of screenshots; `undefined` if none are taken. */
export const FOLDER = process.env['HYPE_PAGE_SHOTS'];

/**
 * Takes a screenshot, named after the screen and the device.
 * @param {Page} page
 * @param {string} name
 */
export async function shoot(page, name) {
  if (FOLDER === undefined) return;
  await mkdir(FOLDER, { recursive: true });
  const size = page.viewportSize() ?? DESKTOP;
  const device = size.width <= PHONE.width ? 'phone' : 'desktop';
  // Enlarges the window to the height of the page. The browser's own full-page screenshot would leave the phone's
  // layout.
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  if (height > size.height) await page.setViewportSize({ ...size, height });
  await page.screenshot({ path: join(FOLDER, `${name}-${device}.png`), animations: 'disabled' });
  if (height > size.height) await page.setViewportSize(size);
}
