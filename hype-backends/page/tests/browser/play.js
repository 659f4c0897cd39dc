// A rater who answers whatever is asked, with the mouse or with the keyboard alone.

import { PATIENCE } from './bench.js';

/**
 * @import { Locator, Page } from "playwright-core"
 */

/** @typedef {"mouse" | "keyboard" | "touch"} Hand */

/**
 * Where a page stands, once it has settled: the screen, and the trial with its showing where there is one.
 * @typedef {{ screen: string, trial: string | null }} Place
 */

/**
 * Waits until there is something to do.
 * @param {Page} page
 * @param {Place | null} [after] what has been dealt with
 * @returns {Promise<Place>}
 */
export async function settled(page, after = null) {
  const handle = await page.waitForFunction(
    (before) => {
      const view = document.querySelector('main > [data-screen]');
      if (!(view instanceof HTMLElement)) return null;
      const screen = view.dataset['screen'] ?? '';
      const state = document.body.dataset['at'] ?? '';
      const asking = view.dataset['ready'] === 'true' || view.dataset['step'] === 'asking';
      if (['opening', 'loading', 'images'].includes(screen) || state === 'saving' || state === 'told') return null;
      if (['trial', 'timed'].includes(screen) && (!asking || state !== 'asking')) return null;
      const trial = document.querySelector('main [data-trial]')?.getAttribute('data-trial') ?? null;
      const here = { screen, trial };
      return before !== null && before.screen === screen && before.trial === trial ? null : here;
    },
    after,
    { timeout: PATIENCE },
  );
  return /** @type {Place} */ (await handle.jsonValue());
}

/**
 * Plays until the end page, and tells which ways of asking were met.
 * @param {Page} page past the instructions
 * @param {Hand} hand
 * @param {(place: Place) => Promise<void>} [before] called before each screen is dealt with
 * @returns {Promise<string[]>}
 */
export async function playToEnd(page, hand, before = async () => undefined) {
  /** @type {string[]} */
  const met = [];
  let place = await settled(page);
  while (place.screen !== 'end') {
    await before(place);
    met.push(...(await answer(page, place, hand)));
    place = await settled(page, place);
  }
  await before(place);
  return met;
}

/**
 * Does what a screen asks for.
 * @param {Page} page
 * @param {Place} place
 * @param {Hand} hand
 * @returns {Promise<string[]>} the ways of asking
 */
export async function answer(page, place, hand) {
  if (place.screen === 'rest' || place.screen === 'ready') {
    const name = place.screen === 'rest' ? 'continue' : 'start';
    if (hand === 'keyboard') await page.keyboard.press('Enter');
    else await page.locator(`[data-action="${name}"]`).click();
    return [place.screen];
  }
  if (!['trial', 'timed'].includes(place.screen)) throw new Error(`nothing can be answered on ${place.screen}`);
  const fields = await page.locator('.questions [data-form]').all();
  const met = [];
  for (const field of fields) {
    const form = (await field.getAttribute('data-form')) ?? '';
    met.push(form === 'ranking' ? `ranking ${await field.getAttribute('data-ties')}` : form);
    await answerField(page, field, form, hand);
  }
  // Images and buttons are the answer by themselves, and the next trial may have come by now.
  if (met.some((form) => form === 'pick' || form === 'judgment')) return met;
  if (hand === 'keyboard') await page.keyboard.press('Enter');
  else await page.locator('.questions button[type=submit]').click();
  return met;
}

/** @param {Locator} field @param {string} selector */
async function keysOf(field, selector) {
  const found = await field.locator(selector).all();
  return Promise.all(found.map(async (one) => (await one.getAttribute('aria-keyshortcuts')) ?? ''));
}

/**
 * @param {Page} page
 * @param {Locator} field
 * @param {string} form
 * @param {Hand} hand
 */
async function answerField(page, field, form, hand) {
  if (form === 'judgment' || form === 'pick') {
    if (hand === 'keyboard') await page.keyboard.press((await keysOf(field, 'button'))[0] ?? '');
    else await field.locator('button').first().click();
  } else if (form === 'choice') {
    if (hand === 'keyboard') await page.keyboard.press((await keysOf(field, 'input')).at(-1) ?? '');
    else await field.locator('.option').last().click();
  } else if (form === 'number') {
    await answerNumber(page, field, hand);
  } else {
    await answerRanking(page, field, hand);
  }
}

/** @param {Page} page @param {Locator} field @param {Hand} hand */
async function answerNumber(page, field, hand) {
  if (hand === 'keyboard') {
    const number = field.locator('input[type=number]');
    // Tab alone leads there, from wherever the focus is.
    for (let steps = 0; steps < 40 && !(await number.evaluate((one) => one === document.activeElement)); steps += 1) {
      await page.keyboard.press('Tab');
    }
    await page.keyboard.type('1');
  } else {
    const slider = field.locator('input[type=range]');
    const width = await slider.evaluate((one) => one.clientWidth);
    await slider.click({ position: { x: width * 0.7, y: 10 } });
  }
}

/** @param {Page} page @param {Locator} field @param {Hand} hand */
async function answerRanking(page, field, hand) {
  const keys = await keysOf(field, '.waiting');
  if (hand === 'keyboard') {
    for (const key of keys) await page.keyboard.press(key);
    await page.keyboard.press('ArrowUp');
    return;
  }
  for (let left = keys.length; left > 0; left -= 1) await field.locator('.waiting').first().click();
}
