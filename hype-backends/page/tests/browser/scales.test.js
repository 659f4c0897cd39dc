// Both ends of a scale are in sight together, above the way on, whatever stands next to it.

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { counted, played, quality, text } from '../mock/clips.js';
import { offer } from '../mock/study.js';
import { Bench } from './bench.js';
import { Person } from './person.js';
import { ON_A_PHONE } from './raters.js';

/**
 * @import { BrowserContextOptions, Page } from "playwright-core"
 * @import { ScreenQuestion } from "../../page.js"
 */

const GRADES = ['Much better', 'Better', 'Slightly better', 'About the same', 'Slightly worse', 'Worse', 'Much worse'];

/** Two questions with seven grades. @param {string} what @returns {ScreenQuestion[]} */
function compared(what) {
  const options = GRADES.map((label, at) => ({ key: null, label, value: String(3 - at) }));
  const first = { ...quality(what), text: `How is ${what} B compared with ${what} A?`, form: { choice: { options } } };
  return [first, { ...first, id: 'second', text: `How well does ${what} B follow the prompt?` }];
}

const clip = () => counted({ frames: 10 });
const LONG = text('<p>The sea rises and falls twice a day, by the moon and the sun.</p>'.repeat(60));
offer('graded-clips', [played([clip(), clip()], compared('clip'))]);
offer('graded-texts', [played([LONG, LONG], compared('text'))]);

/** What hides an end of a scale that is scrolled to. @param {Page} page @returns {Promise<string[]>} */
const hidden = (page) =>
  page.evaluate(() => {
    const asking = /** @type {HTMLElement} */ (document.querySelector('.asking'));
    const bar = /** @type {HTMLElement} */ (document.querySelector('.bar'));
    /** @type {string[]} */
    const faults = [];
    for (const scale of document.querySelectorAll('.scale')) {
      asking.scrollTop += scale.getBoundingClientRect().top - asking.getBoundingClientRect().top;
      for (const option of [scale.firstElementChild, scale.lastElementChild]) {
        const { left, top, bottom } = /** @type {Element} */ (option).getBoundingClientRect();
        const isSeen = [top + 2, bottom - 2].every((y) => option?.contains(document.elementFromPoint(left + 20, y)));
        const isOver = top >= asking.getBoundingClientRect().top - 1 && bottom <= bar.getBoundingClientRect().top + 1;
        if (!isSeen || !isOver) faults.push(`${option?.textContent} of ${scale.getAttribute('data-question')}`);
      }
    }
    return faults;
  });

describe('scales', () => {
  /** @type {Bench} */
  let bench;
  before(async () => void (bench = await Bench.open()));
  afterEach(() => bench.leave());
  after(() => bench.close());

  for (const [device, options] of /** @type {[string, BrowserContextOptions][]} */ ([
    ['desktop', { viewport: { width: 1366, height: 625 } }],
    ['phone', ON_A_PHONE],
  ])) {
    for (const media of ['clips', 'texts']) {
      test(`${device}: both ends of seven grades are seen below ${media}`, async () => {
        const page = await bench.rater({ study: `graded-${media}` }, options);
        const person = new Person(page, device === 'phone' ? 'touch' : 'mouse');
        await person.begin();
        await page.locator('.bar[inert]').waitFor();
        assert.equal(await page.locator('.bar').evaluate((bar) => getComputedStyle(bar).opacity), '1');
        await person.settled();
        assert.deepEqual(await hidden(page), []);
      });
    }
  }
});
