// A ranking question: candidates are ranked by key, click or drag, and moved by arrow keys, buttons or drag.

import { h, keycap } from './dom.js';
import { DragToRank } from './drag.js';
import { assignKeys } from './keys.js';
import { drop, move, ordered, place, rankOf, ranks, remove, unordered } from './order.js';

/**
 * @import { ChoiceOption, ScreenQuestion, Value } from "../page.js"
 * @import { Field } from "./choice.js"
 * @import { Language } from "./i18n.js"
 * @import { Order } from "./order.js"
 */

/**
 * @param {ScreenQuestion} question
 * @param {{ candidates: readonly ChoiceOption[], ties: boolean, are: "images" | "played" }} form
 * @param {(value: string) => HTMLElement | null} thumbnail of a candidate that is an image
 * @param {Language} language
 * @param {() => void} changed
 * @returns {Field}
 */
export function rankingField(question, { candidates, ties, are }, thumbnail, language, changed) {
  const hint = language.text(HINTS[are][ties ? 'ties' : 'strict']);
  const ranking = new Ranking(question, candidates, ties ? 'ties' : 'strict', hint, thumbnail, language, changed);
  return {
    element: ranking.element,
    value: () => ranks(ranking.order),
    restore: (value) => ranking.restore(value),
    press: (key) => ranking.press(key),
    focus: () => ranking.element.querySelector('button')?.focus(),
    stop: () => ranking.stop(),
  };
}

class Ranking {
  /**
   * @param {ScreenQuestion} question
   * @param {readonly ChoiceOption[]} candidates
   * @param {"ties" | "strict"} rule
   * @param {string} hint how to rank
   * @param {(value: string) => HTMLElement | null} thumbnail
   * @param {Language} language
   * @param {() => void} changed
   */
  constructor(question, candidates, rule, hint, thumbnail, language, changed) {
    this.candidates = candidates;
    this.rule = rule;
    this.thumbnail = thumbnail;
    this.language = language;
    this.changed = changed;
    this.keys = assignKeys(candidates);
    /** @type {Order} */
    this.order = unordered(candidates.map((candidate) => candidate.value));
    this.lists = h('div', { class: 'ranking-lists' });
    this.spoken = h('p', { class: 'unseen', 'aria-live': 'polite' });
    this.element = h(
      'div',
      { class: 'ranking', 'data-form': 'ranking', 'data-question': question.id, 'data-ties': rule },
      h('p', { class: 'hint' }, hint),
      this.lists,
      this.spoken,
    );
    this.drag = new DragToRank(this.lists, rule, (value, target) => {
      this.#set(target === 'rest' ? remove(this.order, value) : drop(this.order, value, target), value);
    });
    this.lists.addEventListener('keydown', (event) => this.#arrow(event));
    this.#render();
  }

  stop() {
    this.drag.stop();
  }

  /** @param {Value} given */
  restore(given) {
    if (typeof given !== 'object' || Array.isArray(given)) return;
    this.order = ordered(
      this.candidates.map((candidate) => candidate.value),
      /** @type {Record<string, number>} */ (given),
    );
    this.#render();
  }

  /** @param {string} key */
  press(key) {
    const candidate = this.candidates[this.keys.indexOf(key)];
    if (candidate === undefined) return false;
    const { value } = candidate;
    if (rankOf(this.order, value) === null) this.#set(place(this.order, value), value);
    else this.#focus(value);
    return true;
  }

  /** @param {KeyboardEvent} event */
  #arrow(event) {
    const card = event.target instanceof Element ? event.target.closest('[data-value]') : null;
    const value = card?.getAttribute('data-value');
    if (value === null || value === undefined || rankOf(this.order, value) === null) return;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      event.preventDefault();
      this.#set(move(this.order, value, event.key === 'ArrowUp' ? 'up' : 'down', this.rule), value);
    } else if (event.key === 'Backspace' || event.key === 'Delete') {
      event.preventDefault();
      this.#set(remove(this.order, value), value);
    }
  }

  /** @param {Order} order @param {string} moved */
  #set(order, moved) {
    // A pressed step button keeps the focus; otherwise the card gets it, and Enter continues.
    const focused = document.activeElement;
    const step = this.lists.contains(focused) ? STEPS.find((name) => focused?.classList.contains(name)) : undefined;
    this.order = order;
    this.#render();
    this.#focus(moved, step);
    const rank = rankOf(order, moved);
    const label = this.#label(moved);
    const equals = (order.tiers[(rank ?? 0) - 1] ?? [])
      .filter((other) => other !== moved)
      .map((one) => this.#label(one));
    if (rank === null) this.spoken.textContent = this.language.text('ranking.unplaced', { label });
    else if (equals.length === 0) this.spoken.textContent = this.language.text('ranking.placed', { label, rank });
    else this.spoken.textContent = this.language.text('ranking.tied', { label, rank, others: equals.join(', ') });
    this.changed();
  }

  #render() {
    const { tiers, rest } = this.order;
    const { language } = this;
    const rows = tiers.map((tier, at) =>
      h(
        'li',
        { class: 'tier', 'data-first': tier[0] },
        h('span', { class: 'rank' }, language.numbers.format(at + 1)),
        h(
          'div',
          { class: 'cards' },
          tier.map((value) => this.#card(value, at, tier.length)),
        ),
      ),
    );
    const tray = h('div', { class: 'tray', role: 'group', 'aria-label': language.text('ranking.rest') });
    tray.append(...(rest.length > 0 ? rest.map((value) => this.#waiting(value)) : []));
    const empty = rows.length === 0 && h('p', { class: 'empty' }, language.text('ranking.empty'));
    const list =
      rows.length > 0 && h('ol', { class: 'tiers', 'aria-label': language.text('ranking.placed-list') }, rows);
    this.lists.replaceChildren(
      ...[rest.length > 0 && tray, h('div', { class: 'placed' }, empty, list)].filter((one) => one !== false),
    );
  }

  /** A candidate without a rank. @param {string} value */
  #waiting(value) {
    const key = this.#key(value);
    return h(
      'button',
      {
        type: 'button',
        class: 'card waiting',
        'data-value': value,
        'aria-keyshortcuts': key,
        onclick: () => this.#set(place(this.order, value), value),
      },
      this.#face(value),
      key !== null && keycap(key),
    );
  }

  /** A candidate with a rank. @param {string} value @param {number} at @param {number} equals */
  #card(value, at, equals) {
    const label = this.#label(value);
    const alone = equals === 1;
    const last = this.order.tiers.length - 1;
    const button = (
      /** @type {string} */ what,
      /** @type {string} */ sign,
      /** @type {boolean} */ idle,
      /** @type {() => void} */ act,
    ) =>
      h(
        'button',
        {
          type: 'button',
          class: `step ${what}`,
          'aria-label': this.language.text(`ranking.${what}`, { label }),
          'aria-disabled': idle ? 'true' : null,
          onclick: act,
        },
        h('span', { 'aria-hidden': 'true' }, sign),
      );
    const step = (/** @type {"up" | "down"} */ way) => () => this.#set(move(this.order, value, way, this.rule), value);
    return h(
      'div',
      { class: 'card', role: 'group', 'aria-label': label, 'data-value': value, tabindex: -1 },
      h('div', { class: 'handle' }, this.#face(value)),
      button('up', '↑', alone && at === 0, step('up')),
      button('down', '↓', alone && at === last, step('down')),
      button('remove', '×', false, () => this.#set(remove(this.order, value), value)),
    );
  }

  /** @param {string} value */
  #face(value) {
    const thumbnail = this.thumbnail(value);
    return [thumbnail, h('span', { class: 'name', dir: 'auto' }, this.#label(value))];
  }

  /** @param {string} value */
  #label(value) {
    return this.candidates.find((candidate) => candidate.value === value)?.label ?? value;
  }

  /** @param {string} value */
  #key(value) {
    return this.keys[this.candidates.findIndex((candidate) => candidate.value === value)] ?? null;
  }

  /** @param {string} value @param {string} [step] */
  #focus(value, step) {
    const card = [...this.lists.querySelectorAll('[data-value]')].find(
      (one) => one.getAttribute('data-value') === value,
    );
    const target = (step === undefined ? null : card?.querySelector(`.${step}`)) ?? card;
    if (target instanceof HTMLElement) target.focus();
  }
}

/** How to rank images, and clips or texts. */
const HINTS = {
  images: { ties: 'ranking.hint-ties', strict: 'ranking.hint' },
  played: { ties: 'ranking.played-ties', strict: 'ranking.played' },
};

/** The buttons of a card. */
const STEPS = ['up', 'down', 'remove'];
