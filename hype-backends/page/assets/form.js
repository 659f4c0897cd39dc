// The questions of a trial: where keys go, when all are answered, and the answer.

import { choiceField } from './choice.js';
import { disable, h, keycap, uniqueId } from './dom.js';
import { isPlayed } from './flow.js';
import { stimulusName } from './gallery.js';
import { judgmentField } from './judgment.js';
import { isForPage, keyOf } from './keys.js';
import { marksField } from './marks.js';
import { numberField } from './number.js';
import { picksImages, pickField } from './pick.js';
import { rankingField } from './ranking.js';
import { severalField } from './several.js';
import { sliderField } from './slider.js';
import { wordsField } from './words.js';

/**
 * @import { Answer, ChoiceOption, GalleryPart, ScreenQuestion, ScreenTrial } from "../page.js"
 * @import { Field } from "./choice.js"
 * @import { Images } from "./images.js"
 * @import { Language } from "./i18n.js"
 */

/**
 * How a trial is answered: a lone choice by images to pick or by buttons, and all else, among it surveys, by a form with a
 * button to continue.
 * @param {ScreenTrial} trial
 * @returns {"pick" | "judgment" | "form"}
 */
export function wayOfAsking(trial) {
  // What raters say about themselves can end their session, which no single press does.
  if (trial.phase === 'before' || trial.phase === 'after') return 'form';
  const [question, second] = trial.questions;
  if (question === undefined || second !== undefined || !('choice' in question.form)) return 'form';
  const { options } = question.form.choice;
  const gallery = galleryOf(trial);
  if (gallery !== undefined && gallery.exposure_ms === null && picksImages(gallery, options)) return 'pick';
  return 'judgment';
}

/** @param {ScreenTrial} trial @returns {GalleryPart | undefined} */
export function galleryOf(trial) {
  return trial.parts.find((part) => part.part === 'gallery');
}

/**
 * @typedef {{ question: ScreenQuestion, field: Field, element: HTMLElement, fault: HTMLElement, optional: HTMLElement }} Asked
 */

/** Asks the questions of one trial. */
export class AskingForm {
  /** @type {Asked[]} */
  #asked = [];
  /** @type {Asked | undefined} */
  #last = undefined;
  #given = false;
  #isShut = false;
  /** How many questions still have to be answered. */
  #left = h('p', { class: 'left' });
  /** The questions that still have the answer given before. @type {Set<Asked>} */
  #before = new Set();
  /** Small clips, which show their first frames. @type {Map<string, HTMLVideoElement>} */
  #clips = new Map();

  /**
   * @param {ScreenTrial} trial
   * @param {Images} images
   * @param {Language} language
   * @param {(answer: Answer, when: number) => void} answer `when` is the time stamp of the event that answered
   * @param {Answer | null} given the answer that the rater gave before, if the rater corrects it
   */
  constructor(trial, images, language, answer, given) {
    this.trial = trial;
    this.images = images;
    this.language = language;
    this.answer = answer;
    this.way = wayOfAsking(trial);
    this.#asked = trial.questions.map((question, place) => this.#ask(question, place));
    for (const { question, field } of this.#asked) {
      const value = given?.[question.id];
      if (value !== undefined) field.restore(value);
    }
    if (given !== null) this.#before = new Set(this.#asked);
    this.#tellOptional();
    const button = h('button', { type: 'submit', class: 'primary' }, language.text('form.next'), keycap('Enter'));
    this.element = h(
      'form',
      {
        class: `questions ${this.way}`,
        novalidate: true,
        autocomplete: 'off',
        'data-trial': `${trial.number}.${trial.showing}`,
        onsubmit: (/** @type {SubmitEvent} */ event) => {
          event.preventDefault();
          this.#submit(event.timeStamp);
        },
      },
      this.#asked.map((asked) => asked.element),
      this.way === 'form' && h('div', { class: 'actions bar' }, this.#left, button),
    );
  }

  /** The element to focus when the form appears: the first question, which screen readers then read. */
  get heading() {
    return this.element.querySelector('h1');
  }

  /** The keys that answer. @returns {Set<string>} */
  get keys() {
    const named = [...this.element.querySelectorAll('[aria-keyshortcuts]')];
    return new Set(named.map((one) => one.getAttribute('aria-keyshortcuts') ?? ''));
  }

  /**
   * Handles a key press.
   * @param {KeyboardEvent} event
   */
  press(event) {
    if (!isForPage(event)) return;
    if (event.key === 'Enter') {
      const own = event.target instanceof Element && event.target.closest('button, summary, input, a') !== null;
      if (this.way === 'form' && !own) this.#submit(event.timeStamp);
      return;
    }
    const active = this.#active();
    const order = active === undefined ? this.#asked : [active, ...this.#asked.filter((one) => one !== active)];
    const key = keyOf(event);
    const taken = order.find((asked) => asked.field.press(key, event.timeStamp));
    if (taken === undefined) return;
    event.preventDefault();
    this.#last = taken;
    if ('choice' in taken.question.form && this.way === 'form') this.#advance(taken);
  }

  /**
   * Enables or disables the questions, which stay readable. They are disabled until the images are shown and while an
   * answer is being saved. Clips that serve as buttons can be looked at closely even then.
   * @param {"open" | "shut"} state
   */
  set(state) {
    this.#isShut = state === 'shut';
    const isLooked = this.way === 'pick' && isPlayed(this.trial);
    for (const part of this.element.querySelectorAll(isLooked ? '.pick > .buttons' : '[data-form], .actions')) {
      if (part instanceof HTMLElement) part.inert = this.#isShut;
    }
    if (!isLooked) return;
    for (const part of this.element.querySelectorAll('.picture')) {
      if (part instanceof HTMLElement) disable(part, this.#isShut);
    }
  }

  /** Takes the texts that the trial shows. @param {readonly HTMLElement[]} texts */
  over(texts) {
    for (const { field } of this.#asked) field.over?.(texts);
  }

  stop() {
    for (const { field } of this.#asked) field.stop?.();
  }

  /**
   * Moves from a choice made by key to the next unanswered question. After the last one the focus stays: another
   * key can correct it.
   * @param {{ field: Field }} from
   */
  #advance(from) {
    const after = this.#asked.slice(this.#asked.findIndex((asked) => asked === from) + 1);
    after.find((asked) => this.#isOpen(asked))?.field.focus();
  }

  /** Whether a question has no answer yet, or only the one given before. @param {Asked} asked */
  #isOpen(asked) {
    return asked.field.value() === null || this.#before.has(asked);
  }

  #active() {
    const focused = document.activeElement;
    return (
      this.#asked.find((asked) => asked.element.contains(focused)) ??
      this.#asked.find((asked) => this.#isOpen(asked)) ??
      this.#last
    );
  }

  /** @param {number} when */
  #submit(when) {
    const open = this.#asked.filter(
      (asked) => asked.field.isFaulty?.() === true || (asked.field.value() === null && this.#isRequired(asked)),
    );
    for (const asked of this.#asked) asked.fault.textContent = '';
    for (const asked of open) {
      asked.fault.textContent = this.language.text(asked.field.isFaulty?.() ? 'form.faulty' : 'form.unanswered');
    }
    const [first] = open;
    if (first !== undefined) {
      first.field.focus();
      return;
    }
    const given = this.#asked.flatMap(({ question, field }) => {
      const value = field.value();
      return value === null ? [] : [/** @type {const} */ ([question.id, value])];
    });
    this.#give(Object.fromEntries(given), when);
  }

  /** Whether a question has to be answered given the answers so far. @param {Asked} asked */
  #isRequired({ question: { required } }) {
    if (typeof required === 'boolean') return required;
    const value = this.#asked.find(({ question }) => question.id === required.after)?.field.value() ?? null;
    const chosen = Array.isArray(value) ? value : [value];
    return chosen.some((one) => typeof one === 'string' && required.any_of.includes(one));
  }

  /** Says which questions may be left out, and how many others have no answer yet. */
  #tellOptional() {
    for (const asked of this.#asked) asked.optional.hidden = this.#isRequired(asked);
    const open = this.#asked.filter((asked) => asked.field.value() === null && this.#isRequired(asked)).length;
    this.#left.textContent = open > 0 ? this.language.text('form.left', { count: open }) : '';
  }

  /** @param {Answer} answer @param {number} when */
  #give(answer, when) {
    if (this.#given || this.#isShut) return;
    this.#given = true;
    this.answer(answer, when);
  }

  /** @param {ScreenQuestion} question @param {number} place */
  #ask(question, place) {
    const fault = h('p', { class: 'fault', role: 'alert', id: uniqueId('fault') });
    const field = this.#field(question, () => {
      fault.textContent = '';
      this.#before.forEach((asked) => asked.question === question && this.#before.delete(asked));
      this.#tellOptional();
    });
    const id = uniqueId('question');
    const title = h(
      place === 0 ? 'h1' : 'h2',
      { id, class: 'question', dir: 'auto', lang: question.language, tabindex: place === 0 ? -1 : null },
      question.text,
    );
    const optional = h(
      'p',
      { class: 'hint', id: uniqueId('optional'), hidden: true },
      this.language.text('form.optional'),
    );
    const help =
      question.help !== null &&
      h(
        'details',
        { class: 'help' },
        h('summary', {}, this.language.text('form.help')),
        h('p', { dir: 'auto', lang: question.language }, question.help),
      );
    const role = 'choice' in question.form && this.way === 'form' ? 'radiogroup' : 'group';
    field.element.setAttribute('role', role);
    if (question.language !== null) field.element.lang = question.language;
    field.element.setAttribute('aria-labelledby', id);
    field.element.setAttribute('aria-describedby', `${optional.id} ${fault.id}`);
    const element = h('section', { class: 'asked' }, title, optional, help, field.element, fault);
    return { question, field, fault, optional, element };
  }

  /** @param {ScreenQuestion} question @param {() => void} changed @returns {Field} */
  #field(question, changed) {
    const { form } = question;
    if ('several' in form) return severalField(question, form.several, this.language, changed);
    if ('slider' in form) return sliderField(question, form.slider, this.language, changed);
    if ('marks' in form) return marksField(question, form.marks, this.language, changed);
    if ('text' in form) return wordsField(question, form.text, this.language, changed);
    if ('number' in form) return numberField(question, form.number, this.language, changed);
    if ('ranking' in form) {
      const ranking = {
        ...form.ranking,
        are: isPlayed(this.trial) ? /** @type {const} */ ('played') : /** @type {const} */ ('images'),
      };
      return rankingField(question, ranking, (value) => this.#thumbnail(value), this.language, changed);
    }
    const { options } = form.choice;
    const answer = (/** @type {string} */ value, /** @type {number} */ when) =>
      this.#give({ [question.id]: value }, when);
    const gallery = galleryOf(this.trial);
    if (this.way === 'pick' && gallery !== undefined) {
      return pickField(question, options, gallery, this.images, this.language, answer);
    }
    if (this.way === 'judgment') return judgmentField(question, this.#named(options), answer);
    // Like the images that they are about, options run from left to right in every language.
    return choiceField(question, options, gallery === undefined ? null : 'ltr', changed);
  }

  /** Options that are texts of a gallery, with their names. @param {readonly ChoiceOption[]} options */
  #named(options) {
    const texts = galleryOf(this.trial)?.images.filter(({ media }) => media === 'text') ?? [];
    return options.map((option) => {
      const text = texts.find(({ label }) => label === option.value);
      return text === undefined ? option : { ...option, label: stimulusName(text, text.label, this.language) };
    });
  }

  /** @param {string} value */
  #thumbnail(value) {
    const gallery = galleryOf(this.trial);
    const shown = gallery?.exposure_ms === null && gallery.images.find((image) => image.label === value);
    if (!shown || shown.media === 'text') return null;
    if (shown.media !== 'video') return this.images.element(shown.image, '');
    const known = this.#clips.get(value) ?? this.images.clip(shown.image, '');
    this.#clips.set(value, known);
    return known;
  }
}
