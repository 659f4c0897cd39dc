// A rater who does whatever a page asks for with one input device: the mouse, the keyboard alone or a finger.

import assert from 'node:assert/strict';
import { PATIENCE, arriveAt } from './raters.js';

/**
 * @import { Locator, Page } from "playwright-core"
 * @import { Answer, Value } from "../../page.js"
 */

/** @typedef {"mouse" | "keyboard" | "touch"} Hand */

/**
 * The state of a page once it has settled: the screen, and the trial and showing if there is one.
 * @typedef {{ screen: string, trial: string | null }} Place
 */

/** An answer as the rater intended it. @typedef {{ trial: number, answer: Answer }} Given */

/** How often Tab is pressed before the rater gives up. */
const TABS = 80;

/** A rater with a page. */
export class Person {
  /** Every answer that was given, in order. @type {Given[]} */
  given = [];
  /** The kinds of form that were answered. @type {string[]} */
  met = [];
  /** The scale of the images of each untimed trial, in device pixels. @type {{ trial: number, factor: number }[]} */
  scales = [];
  /** The names of the page, one for each time it was loaded. @type {Set<string>} */
  tabs = new Set();

  /**
   * @param {Page} page
   * @param {Hand} [hand]
   * @param {number} [taste] a number that varies the answers between raters
   */
  constructor(page, hand = 'mouse', taste = 0) {
    this.page = page;
    this.hand = hand;
    this.taste = taste;
    page.on('request', (request) => {
      if (!request.url().includes('/api/')) return;
      this.tabs.add(request.postDataJSON().tab);
    });
  }

  /** Presses a button, or ticks a box. @param {Locator} target */
  async press(target) {
    if (this.hand === 'mouse') return target.click();
    if (this.hand === 'touch') return target.tap();
    await this.#tabTo(target);
    await this.page.keyboard.press(' ');
  }

  /** Presses a button by its action. @param {string} name */
  act(name) {
    return this.press(this.page.locator(`[data-action="${name}"]:visible`).first());
  }

  /** Agrees to take part, and confirms the age if asked. */
  async consent() {
    await arriveAt(this.page, 'consent');
    await this.page.locator('[data-action=agree]:enabled').waitFor();
    const box = this.page.locator('.check input');
    if ((await box.count()) > 0) await this.press(box);
    await this.act('agree');
  }

  /** Proceeds from the arrival to the first trial. */
  async begin() {
    await this.consent();
    await arriveAt(this.page, 'instructions');
    await this.page.locator('[data-action=begin]:enabled').waitFor();
    if (this.hand === 'keyboard') await this.page.keyboard.press('Enter');
    else await this.act('begin');
  }

  /**
   * Waits until there is something to do, past the instructions.
   * @param {Place | null} [after] the last place that was handled
   * @returns {Promise<Place>}
   */
  async settled(after = null) {
    const handle = await this.page.waitForFunction(
      (before) => {
        const view = document.querySelector('main > [data-screen]');
        if (!(view instanceof HTMLElement)) return null;
        const screen = view.dataset['screen'] ?? '';
        const state = document.body.dataset['at'] ?? '';
        const asking = view.dataset['ready'] === 'true';
        const passing = ['opening', 'consent', 'instructions', 'loading', 'images'].includes(screen);
        if (passing || state === 'saving' || state === 'feedback') return null;
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
   * Plays until the end page.
   * @param {(place: Place) => Promise<void>} [before] called before each screen is handled
   * @returns {Promise<Place>} the end
   */
  async playToEnd(before = async () => undefined) {
    let place = await this.settled();
    while (place.screen !== 'end') {
      await before(place);
      await this.answer(place);
      place = await this.settled(place);
    }
    await before(place);
    return place;
  }

  /**
   * Plays until a trial asks its questions.
   * @returns {Promise<Place>}
   */
  async playToTrial() {
    let place = await this.settled();
    while (place.screen === 'rest' || place.screen === 'ready') {
      await this.answer(place);
      place = await this.settled(place);
    }
    return place;
  }

  /**
   * Does what a screen asks for.
   * @param {Place} place
   */
  async answer(place) {
    if (place.screen === 'rest' || place.screen === 'ready') {
      this.met.push(place.screen);
      if (this.hand === 'keyboard') return this.page.keyboard.press('Enter');
      return this.act(place.screen === 'rest' ? 'continue' : 'start');
    }
    assert.ok(place.trial !== null && ['trial', 'timed'].includes(place.screen), `${place.screen} asks no question`);
    const trial = Number(place.trial.split('.')[0]);
    const forms = [];
    const factor = place.screen === 'trial' ? await this.#factor() : 1;
    /** @type {Answer} */
    const answer = {};
    for (const [at, field] of (await this.page.locator('.questions [data-form]').all()).entries()) {
      const form = (await field.getAttribute('data-form')) ?? '';
      const question = (await field.getAttribute('data-question')) ?? '';
      forms.push(form === 'ranking' ? `ranking ${await field.getAttribute('data-ties')}` : form);
      answer[question] = await this.#answerField(field, form, trial * 5 + at * 3 + this.taste);
    }
    this.met.push(...forms);
    if (place.screen === 'trial') this.scales.push({ trial, factor });
    this.given.push({ trial, answer });
    // Pressing an image or a button answers at once, so the next trial may already be shown.
    if (forms.some((form) => form === 'pick' || form === 'judgment')) return;
    if (this.hand === 'keyboard') await this.page.keyboard.press('Enter');
    else await this.press(this.page.locator('.questions button[type=submit]'));
  }

  /** The number of device pixels that a pixel of an image takes on the screen. */
  #factor() {
    return this.page
      .locator('.trial .scaled')
      .first()
      .evaluate((one) => (one.getBoundingClientRect().width * devicePixelRatio) / Number(one.getAttribute('width')));
  }

  /**
   * @param {Locator} field
   * @param {string} form
   * @param {number} chance the number that decides what the rater chooses
   * @returns {Promise<Value>}
   */
  async #answerField(field, form, chance) {
    switch (form) {
      case 'number':
        return this.#answerNumber(field, chance);
      case 'ranking':
        return this.#rank(field, chance);
      default: {
        const options = await field.locator(form === 'choice' ? 'input' : 'button').all();
        const option = options[chance % options.length];
        assert.ok(option, 'a question without options');
        const value = (await option.getAttribute(form === 'choice' ? 'value' : 'data-value')) ?? '';
        if (this.hand === 'keyboard') await this.page.keyboard.press(await keyOf(option));
        else await this.press(form === 'choice' ? option.locator('xpath=..') : option);
        return value;
      }
    }
  }

  /** @param {Locator} field @param {number} chance */
  async #answerNumber(field, chance) {
    const number = field.locator('input[type=number]');
    if (this.hand === 'keyboard') {
      await this.#tabTo(number);
      await this.page.keyboard.type(String(1 + (chance % 9)));
      return 1 + (chance % 9);
    }
    const slider = field.locator('input[type=range]');
    const width = await slider.evaluate((one) => one.clientWidth);
    const position = { x: width * (0.3 + 0.05 * (chance % 9)), y: 10 };
    if (this.hand === 'touch') await slider.tap({ position });
    else await slider.click({ position });
    return Number(await number.inputValue());
  }

  /**
   * Ranks the images, beginning with a different one each time, and then moves the last one up a step.
   * @param {Locator} field
   * @param {number} chance
   */
  async #rank(field, chance) {
    const cards = await field.locator('.waiting').all();
    const found = await Promise.all(
      cards.map(async (card) => ({ value: (await card.getAttribute('data-value')) ?? '', key: await keyOf(card) })),
    );
    const from = chance % found.length;
    const order = [...found.slice(from), ...found.slice(0, from)];
    for (const { value, key } of order) {
      if (this.hand === 'keyboard') await this.page.keyboard.press(key);
      else await this.press(field.locator(`.waiting[data-value="${value}"]`));
    }
    const last = order.at(-1)?.value ?? '';
    if (this.hand === 'keyboard') await this.page.keyboard.press('ArrowUp');
    else await this.press(field.locator(`.tier [data-value="${last}"] .up`));
    const ranks = Object.fromEntries(order.map(({ value }, place) => [value, place + 1]));
    ranks[last] = order.length - 1;
    const before = order.at(-2)?.value ?? '';
    if ((await field.getAttribute('data-ties')) === 'strict') ranks[before] = order.length;
    return ranks;
  }

  /** @param {Locator} target */
  async #tabTo(target) {
    for (let steps = 0; steps < TABS; steps += 1) {
      if (await target.evaluate((one) => one === document.activeElement)) return;
      await this.page.keyboard.press('Tab');
    }
    assert.fail(`Tab does not lead to ${target}`);
  }
}

/** The key that a control displays. @param {Locator} control @returns {Promise<string>} */
async function keyOf(control) {
  return (await control.getAttribute('aria-keyshortcuts')) ?? '';
}
