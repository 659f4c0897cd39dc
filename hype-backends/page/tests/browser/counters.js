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

/** A new frame of a clip of a trial, at a time in milliseconds. @typedef {{ trial: string, clip: number, at: number, frame: number }} Change */

/**
 * Tells each new frame of all clips from now on, by the pixels of the clips and not by their times.
 * @param {Page} page
 * @returns {Promise<readonly Change[]>} to which further ones are added
 */
export async function changes(page) {
  /** @type {Change[]} */
  const found = [];
  await page.exposeFunction('tellFrame', (/** @type {Change} */ change) => found.push(change));
  await page.evaluate((digits) => {
    const context = new OffscreenCanvas(digits, 2).getContext('2d', { willReadFrequently: true });
    /** @type {Map<string, number>} */
    const before = new Map();
    const look = (/** @type {number} */ at) => {
      const trial = document.querySelector('[data-trial]')?.getAttribute('data-trial') ?? '';
      for (const [clip, element] of document.querySelectorAll('video.scaled').entries()) {
        context?.drawImage(/** @type {HTMLVideoElement} */ (element), 0, 0, digits, 2);
        const reds = [...(context?.getImageData(0, 0, digits, 1).data ?? [])].filter((_, one) => one % 4 === 0);
        const frame = parseInt(reds.map((red) => (red > 128 ? '1' : '0')).join(''), 2);
        // @ts-expect-error the function of the test
        if (before.get(`${trial} ${clip}`) !== frame) tellFrame({ trial, clip, at, frame });
        before.set(`${trial} ${clip}`, frame);
      }
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, DIGITS);
  return found;
}

/**
 * The times between frames of a clip, in milliseconds, from the second one on: the first is there before the clip is played.
 * @param {readonly Change[]} all
 * @param {string} trial
 * @param {number} clip
 */
export function gaps(all, trial, clip) {
  const own = all.filter((one) => one.trial === trial && one.clip === clip);
  return own.slice(1).flatMap(({ at }, one) => (own[one]?.frame === 0 ? [] : [at - (own[one]?.at ?? at)]));
}

/** By how many frames two clips are apart in each look, while either of them moves. @param {readonly Look[]} looks */
export function apart(looks) {
  const moving = looks.filter(({ frames }, at) => String(frames) !== String(looks[at - 1]?.frames ?? ''));
  return moving.map(({ frames: [one = 0, other = 0] }) => Math.abs(one - other));
}
