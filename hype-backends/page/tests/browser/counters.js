// Reads the counters of clips from what is on the screen. It knows nothing of what the page records.

import { row } from '../../timing/png.js';
import { DIGITS } from '../mock/clips.js';

/**
 * @import { Page } from "playwright-core"
 */

/** The numbers of the frames that the clips show at a time, in milliseconds. @typedef {{ at: number, frames: number[] }} Look */

/**
 * Watches the clips of a trial for as long as something lasts.
 * @param {Page} page at a ratio of one device pixel
 * @param {() => Promise<unknown>} during
 * @returns {Promise<Look[]>}
 */
export async function watched(page, during) {
  const boxes = await page.locator('video.scaled').evaluateAll((clips) =>
    clips.map((clip) => {
      const { left, top, width, height } = clip.getBoundingClientRect();
      return { left: left / innerWidth, width: width / innerWidth, y: (top + height / 4) / innerHeight };
    }),
  );
  const pictures = page.context().browser()?.browserType().name() === 'chromium' ? recorded : photographed;
  const found = await pictures(page, during);
  return found.map(({ at, png }) => ({ at, frames: boxes.map((box) => counterOf(png, box)) }));
}

/** @param {Buffer} png @param {{ left: number, width: number, y: number }} box */
function counterOf(png, { left, width, y }) {
  const line = row(png, y);
  const digits = Array.from({ length: DIGITS }, (_, digit) => line(left + (width * (digit + 0.5)) / DIGITS)[0] > 128);
  return digits.reduce((number, digit) => number * 2 + (digit ? 1 : 0), 0);
}

/** What the compositor draws. @param {Page} page @param {() => Promise<unknown>} during */
async function recorded(page, during) {
  const session = await page.context().newCDPSession(page);
  /** @type {{ at: number, png: Buffer }[]} */
  const found = [];
  session.on('Page.screencastFrame', ({ sessionId, data, metadata }) => {
    session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
    found.push({ at: (metadata.timestamp ?? 0) * 1000, png: Buffer.from(data, 'base64') });
  });
  await session.send('Page.startScreencast', { format: 'png', everyNthFrame: 1 });
  await during();
  await session.send('Page.stopScreencast');
  await session.detach();
  // Pictures may arrive in another order.
  return found.sort((one, other) => one.at - other.at);
}

/** One screenshot after another. @param {Page} page @param {() => Promise<unknown>} during */
async function photographed(page, during) {
  /** @type {{ at: number, png: Buffer }[]} */
  const found = [];
  let isOver = false;
  const over = during().finally(() => (isOver = true));
  while (!isOver) {
    const at = performance.now();
    found.push({ at, png: await page.screenshot() });
  }
  await over;
  return found;
}

/** By how many frames two clips are apart in each look, while either of them moves. @param {readonly Look[]} looks */
export function apart(looks) {
  const moving = looks.filter(({ frames }, at) => String(frames) !== String(looks[at - 1]?.frames ?? ''));
  return moving.map(({ frames: [one = 0, other = 0] }) => Math.abs(one - other));
}
