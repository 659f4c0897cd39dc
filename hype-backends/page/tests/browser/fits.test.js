// What is judged and what is asked are visible together, at one scale, whatever the size of the images and the window.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, test } from 'node:test';
import { Bench } from './bench.js';
import { Person } from './person.js';

/**
 * @import { Page } from "playwright-core"
 */

const WINDOWS = [
  { width: 1280, height: 720 },
  { width: 1366, height: 768 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
  { width: 390, height: 844 },
];

/**
 * The scale of each trial by the size of its images and of its window, as `hype check` states it.
 * @type {Record<string, Record<string, number[]>>}
 */
const STATED = JSON.parse(await readFile(new URL('scales.json', import.meta.url), 'utf8'));

/** How many times as large as stated images may be. */
const BETTER = 2;

const bench = await Bench.open();
afterEach(() => bench.leave());
after(() => bench.close());

/**
 * What is wrong with a trial's layout.
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
function faultsOfLayout(page) {
  return page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    /** @type {string[]} */
    const faults = [];
    /** Whether all of an element can be seen. @param {Element} element */
    const isVisible = (element) => {
      const box = element.getBoundingClientRect();
      for (let around = element.parentElement; around !== null; around = around.parentElement) {
        const clips = around === document.body || getComputedStyle(around).overflowY !== 'visible';
        const { left, top, right, bottom } =
          around === document.body
            ? { left: 0, top: 0, right: innerWidth, bottom: innerHeight }
            : around.getBoundingClientRect();
        const inside = box.left > left - 1 && box.top > top - 1 && box.right < right + 1 && box.bottom < bottom + 1;
        if (clips && !inside) return false;
      }
      return box.width > 0 && box.height > 0;
    };
    const images = /** @type {HTMLImageElement[]} */ ([...document.querySelectorAll('img.scaled')]);
    const scales = images.map((image) => (image.getBoundingClientRect().width * devicePixelRatio) / image.naturalWidth);
    const [scale = NaN] = scales;
    if (!scales.every((one) => Math.abs(one / scale - 1) < 0.002)) faults.push(`scales differ: ${scales}`);
    if (scale > 1.002 && Math.abs(scale - Math.round(scale)) > 0.002) faults.push(`enlarged by ${scale}`);
    const questions = [...document.querySelectorAll('.question')];
    for (const question of questions) {
      question.scrollIntoView({ block: 'nearest' });
      if (!isVisible(question)) faults.push(`the question cannot be seen: ${question.textContent}`);
      for (const image of images) if (!isVisible(image)) faults.push('an image cannot be seen whole');
    }
    for (const button of document.querySelectorAll('.buttons button')) {
      if (!isVisible(button)) faults.push(`the button cannot be seen: ${button.textContent}`);
    }
    questions[0]?.scrollIntoView({ block: 'nearest' });
    return faults;
  });
}

for (const images of ['64x64', '256x256', '512x512', '1024x1024', '1536x1024', '2048x2048']) {
  test(`images of ${images} pixels stand beside their questions in every window`, async () => {
    const page = await bench.rater({ study: 'untimed', images });
    const person = new Person(page);
    await person.begin();
    /** @type {string[]} */
    const faults = [];
    let trials = 0;
    await person.playToEnd(async ({ screen, trial }) => {
      if (screen !== 'trial') return;
      trials += 1;
      for (const size of WINDOWS) {
        await page.setViewportSize(size);
        const where = `trial ${trial} at ${size.width} × ${size.height}`;
        for (const fault of await faultsOfLayout(page)) faults.push(`${where}: ${fault}`);
        const scale = Number(await page.locator('.trial').getAttribute('data-scale'));
        const stated = STATED[images]?.[`${size.width}x${size.height}`]?.[trials - 1] ?? NaN;
        if (!(scale >= stated * 0.998 && scale <= stated * BETTER)) {
          faults.push(`${where}: the scale is ${scale}, and ${stated} is stated`);
        }
      }
      await page.setViewportSize({ width: 1280, height: 720 });
    });
    assert.equal(trials, 8);
    assert.deepEqual(faults, []);
  });
}
