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
      // Firefox does not tell.
      const tab = request.postDataJSON()?.tab;
      if (tab !== undefined) this.tabs.add(tab);
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

  /**
   * Answers the surveys that come before the instructions.
   * @param {(place: Place) => Promise<void>} [before] called before each page is answered
   * @returns {Promise<Place>} the instructions, or the end of a session that ends with a survey
   */
  async answerSurveys(before = async () => undefined) {
    let place = await this.settled(null, 'instructions');
    while (place.screen === 'trial') {
      await before(place);
      await this.answer(place);
      place = await this.settled(place, 'instructions');
    }
    return place;
  }

  /**
   * Proceeds from the arrival to the first trial.
   * @param {(place: Place) => Promise<void>} [survey] called before each page of a survey is answered
   */
  async begin(survey) {
    await this.consent();
    await this.answerSurveys(survey);
    await arriveAt(this.page, 'instructions');
    await this.page.locator('[data-action=begin]:enabled').waitFor();
    if (this.hand === 'keyboard') await this.page.keyboard.press('Enter');
    else await this.act('begin');
  }

  /**
   * Waits until there is something to do. Begins clips, and reads texts, that have to be seen before an answer.
   * @param {Place | null} [after] the last place that was handled
   * @param {string} [stops] a screen to stop at that is passed otherwise
   * @returns {Promise<Place>}
   */
  async settled(after = null, stops = '') {
    for (;;) {
      const place = await this.#nextPlace(after, stops);
      if (place.screen === 'clips') await this.#begin();
      else if (place.screen === 'texts') await this.#read();
      else return place;
    }
  }

  /** Begins the clips of a trial. */
  async #begin() {
    if (this.hand === 'keyboard') await this.page.keyboard.press('Enter');
    else await this.act('play');
    await this.page.locator('[data-action=play]:visible').waitFor({ state: 'detached' });
  }

  /** Reads the texts of a trial to their ends, each in its tab if they have tabs. */
  async #read() {
    const tabs = await this.page.locator('.reading [role=tab]:visible').all();
    const down = async () => {
      for (const text of await this.page.locator('.reading .text:visible').all()) {
        await text.evaluate(async (box) => {
          while (box.scrollTop + box.clientHeight < box.scrollHeight - 1) {
            box.scrollTop += box.clientHeight / 2;
            await new Promise((resolve) => requestAnimationFrame(resolve));
          }
        });
      }
    };
    if (tabs.length === 0) return down();
    for (const tab of tabs) {
      await this.press(tab);
      await down();
    }
  }

  /**
   * @param {Place | null} after
   * @param {string} stops
   * @returns {Promise<Place>} `clips` if they have to be begun, and `texts` if they have to be read
   */
  async #nextPlace(after, stops) {
    const handle = await this.page.waitForFunction(
      ({ before, stops }) => {
        const view = document.querySelector('main > [data-screen]');
        if (!(view instanceof HTMLElement)) return null;
        const screen = view.dataset['screen'] ?? '';
        const state = document.body.dataset['at'] ?? '';
        const asking = view.dataset['ready'] === 'true';
        const passing = ['opening', 'consent', 'instructions', 'loading', 'images'].includes(screen);
        if (screen === stops) return { screen, trial: null };
        if (passing || ['saving', 'feedback', 'returning'].includes(state)) return null;
        const begin = view.querySelector('[data-action=play]');
        if (begin instanceof HTMLElement && !begin.hidden && !asking) return { screen: 'clips', trial: null };
        if (view.querySelector('.reading') !== null && !asking) return { screen: 'texts', trial: null };
        if (['trial', 'timed'].includes(screen) && (!asking || state !== 'asking')) return null;
        const shown = document.querySelector('main [data-trial]')?.getAttribute('data-trial') ?? null;
        const trial = view.querySelector('.correcting') === null ? shown : `${shown} again`;
        const here = { screen, trial };
        return before !== null && before.screen === screen && before.trial === trial ? null : here;
      },
      { before: after, stops },
      // Looking at every frame would make the browser draw every frame.
      { timeout: PATIENCE, polling: 50 },
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
    const factor = place.screen === 'trial' ? await this.#factor() : null;
    /** @type {Answer} */
    const answer = {};
    for (const [at, field] of (await this.page.locator('.questions [data-form]').all()).entries()) {
      const form = (await field.getAttribute('data-form')) ?? '';
      const question = (await field.getAttribute('data-question')) ?? '';
      forms.push(form === 'ranking' ? `ranking ${await field.getAttribute('data-ties')}` : form);
      answer[question] = await this.#answerField(field, form, trial * 5 + at * 3 + this.taste);
    }
    this.met.push(...forms);
    if (factor !== null) this.scales.push({ trial, factor });
    this.given.push({ trial, answer });
    // Pressing an image or a button answers at once, so the next trial may already be shown.
    if (forms.some((form) => form === 'pick' || form === 'judgment')) return;
    const submit = this.page.locator('.questions button[type=submit]');
    if (this.hand !== 'keyboard') return this.press(submit);
    // Enter begins a new line where several lines can be written.
    if (forms.includes('words')) await this.#tabTo(submit);
    await this.page.keyboard.press('Enter');
  }

  /** The number of device pixels that a pixel of an image takes on the screen; `null` without images. */
  async #factor() {
    const images = this.page.locator('.trial .scaled');
    if ((await images.count()) === 0) return null;
    return images
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
      case 'several':
        return this.#choose(field, chance);
      case 'slider':
        return this.#slide(field, chance);
      case 'words':
        return this.#write(field, chance);
      default: {
        const options = await field.locator(form === 'choice' ? 'input' : 'button[data-value]').all();
        const option = options[chance % options.length];
        assert.ok(option, 'a question without options');
        const value = (await option.getAttribute(form === 'choice' ? 'value' : 'data-value')) ?? '';
        const key = await keyOf(option);
        if (this.hand === 'keyboard' && key !== '') await this.page.keyboard.press(key);
        else await this.press(form === 'choice' && this.hand !== 'keyboard' ? option.locator('xpath=..') : option);
        return value;
      }
    }
  }

  /** Chooses two options. @param {Locator} field @param {number} chance */
  async #choose(field, chance) {
    const options = await field.locator('input').all();
    const places = [chance % options.length, (chance + 1) % options.length].sort();
    const values = [];
    for (const place of places) {
      const option = options[place];
      assert.ok(option, 'a question without options');
      if (this.hand === 'keyboard') await this.#tabTo(option).then(() => this.page.keyboard.press(' '));
      else await this.press(option.locator('xpath=..'));
      values.push((await option.getAttribute('value')) ?? '');
    }
    return values;
  }

  /** @param {Locator} field @param {number} chance */
  async #slide(field, chance) {
    const slider = field.locator('input');
    if (this.hand === 'keyboard') {
      await this.#tabTo(slider);
      for (let steps = 0; steps <= chance % 4; steps += 1) await this.page.keyboard.press('ArrowRight');
    } else {
      const width = await slider.evaluate((one) => one.clientWidth);
      const position = { x: width * (0.2 + 0.05 * (chance % 9)), y: 10 };
      if (this.hand === 'touch') await slider.tap({ position });
      else await slider.click({ position });
    }
    return slider.evaluate((one) => /** @type {HTMLInputElement} */ (one).valueAsNumber);
  }

  /** @param {Locator} field @param {number} chance */
  async #write(field, chance) {
    const words = `words ${chance} <i>über</i> 好`;
    const box = field.locator('input, textarea');
    if (this.hand === 'keyboard') await this.#tabTo(box);
    else await this.press(box);
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.keyboard.insertText(words);
    return words;
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
