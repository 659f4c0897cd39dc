// The page in a frame of a platform, as a person uses it.

import { PATIENCE } from './raters.js';

/**
 * @import { Frame, Page } from "playwright-core"
 */

/** A screen inside a frame. @param {Frame} frame @param {string} name */
export const shows = (frame, name) => frame.locator(`main > [data-screen="${name}"]`).waitFor({ timeout: PATIENCE });

/** The page inside a frame, as far as a person uses it. @param {Frame} frame @returns {Page} */
export function inside(frame) {
  const page = {
    locator: frame.locator.bind(frame),
    waitForFunction: frame.waitForFunction.bind(frame),
    on: frame.page().on.bind(frame.page()),
  };
  return /** @type {Page} */ (/** @type {unknown} */ (page));
}

/** The frame of a page. @param {Page} page @returns {Promise<Frame>} */
export async function frameOf(page) {
  const frame = await (await page.waitForSelector('iframe')).contentFrame();
  if (frame === null) throw new Error('the frame has no document');
  return frame;
}
