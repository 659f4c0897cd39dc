// Pictures of the screens, for people to look at: only where a folder for them is named.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DESKTOP, PHONE } from './bench.js';

/**
 * @import { Page } from "playwright-core"
 */

const FOLDER = process.env['HYPE_PAGE_SHOTS'];

/**
 * Takes a screen on a desktop and on a phone.
 * @param {Page} page
 * @param {string} name
 */
export async function shoot(page, name) {
  if (FOLDER === undefined) return;
  await mkdir(FOLDER, { recursive: true });
  const before = page.viewportSize() ?? DESKTOP;
  for (const [size, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    await page.setViewportSize(viewport);
    await page.screenshot({ path: join(FOLDER, `${name}-${size}.png`) });
  }
  await page.setViewportSize(before);
}
