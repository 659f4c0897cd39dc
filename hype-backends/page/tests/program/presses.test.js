// Each press answers the trial that was on the screen when it began, and none before the trial could be seen.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Person } from '../browser/person.js';
import { arriveAt } from '../browser/raters.js';
import { built } from './program.js';
import { setting } from './setting.js';
import { contrast } from './studies.js';

/** @import { Page } from "playwright-core" */

/** When a click that comes too early is made: in milliseconds after its trial has been painted. */
const EARLY = 50;

describe('a press answers the trial on which it began', { ...built, concurrency: 2 }, () => {
  const here = setting();

  /** A rater before the instructions, and the trials that the page has answered. */
  async function arrived() {
    const program = await here.studies.serve(contrast);
    const page = await here.raters.rater(program.raters);
    const person = new Person(page);
    await person.consent();
    await arriveAt(page, 'instructions');
    await page.locator('[data-action=begin]:enabled').waitFor();
    /** @type {number[]} */
    const answered = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/answer')) answered.push(request.postDataJSON().trial);
    });
    return { page, person, answered };
  }

  /** A rater whose pointer is on the first image of the first trial. */
  async function pointing() {
    const { page, person, answered } = await arrived();
    await person.act('begin');
    const place = await person.settled();
    const box = await page.locator('.picture').first().boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const click = async () => {
      await page.mouse.down();
      await page.mouse.up();
    };
    return { page, person, answered, place, click };
  }

  // The second half of a double click comes at the worst moment: as soon as the next trial is there.
  for (const [name, delay] of /** @type {const} */ ([
    ['a double click answers one trial', 0],
    ['a click right after a trial appears is ignored, and a later one counts', EARLY],
  ])) {
    test(name, async () => {
      const { page, person, answered, place, click } = await pointing();
      const early = page.evaluate(
        (delay) =>
          new Promise((resolve) => {
            const watch = () => {
              const button = document.querySelector('[data-trial="1.0"] .picture');
              if (!(button instanceof HTMLElement)) return void requestAnimationFrame(watch);
              setTimeout(() => {
                const { left, top } = button.getBoundingClientRect();
                const on = document.elementFromPoint(left + 9, top + 9) ?? document.body;
                for (const type of ['pointerdown', 'pointerup'])
                  on.dispatchEvent(new PointerEvent(type, { bubbles: true }));
                on.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
                button.click();
                resolve(button.isConnected && document.querySelector('.trial[data-ready]') === null);
              }, delay);
            };
            watch();
          }),
        delay,
      );
      await click();
      assert.equal(await early, true, 'the click came before the trial could be answered');
      const next = await person.settled(place);
      assert.equal(next.trial, '1.0');
      assert.deepEqual(answered, [0]);
      await click();
      await person.settled(next);
      assert.deepEqual(answered, [0, 1]);
    });
  }

  test('a press that began on one trial does not answer the next', async () => {
    const { page, person, answered, place, click } = await pointing();
    await page.mouse.down();
    await page.keyboard.press(await keyOfFirst(page));
    const next = await person.settled(place);
    await page.mouse.up();
    await twoFrames(page);
    assert.deepEqual(answered, [0]);
    await click();
    await person.settled(next);
    assert.deepEqual(answered, [0, 1]);
  });

  test('a key that is held down answers one trial, and Enter held since the instructions none', async () => {
    const { page, person, answered } = await arrived();
    await page.keyboard.down('Enter');
    const place = await person.settled();
    // Enter presses the button that has the focus.
    await page.locator('.picture').first().focus();
    for (let repeats = 0; repeats < 5; repeats += 1) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await twoFrames(page);
    assert.deepEqual(answered, []);
    const key = await keyOfFirst(page);
    await page.keyboard.down(key);
    const next = await person.settled(place);
    for (let repeats = 0; repeats < 5; repeats += 1) await page.keyboard.down(key);
    await page.keyboard.up(key);
    await twoFrames(page);
    assert.deepEqual(answered, [0]);
    assert.equal(next.trial, '1.0');
  });
});

/** The key of the first image. @param {Page} page */
async function keyOfFirst(page) {
  return (await page.locator('.picture').first().getAttribute('aria-keyshortcuts')) ?? '';
}

/** Waits until the page has handled what it was given. @param {Page} page */
async function twoFrames(page) {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}
