// A single judgment such as real or fake: a button for each option; the first press is the answer.

import { h, keycap } from './dom.js';
import { assignKeys } from './keys.js';

/**
 * @import { ChoiceOption, ScreenQuestion, Value } from "../page.js"
 * @import { Field } from "./choice.js"
 */

/**
 * @param {ScreenQuestion} question
 * @param {readonly ChoiceOption[]} options
 * @param {(value: string, when: number) => void} answer
 * @returns {Field}
 */
export function judgmentField(question, options, answer) {
  const keys = assignKeys(options);
  const buttons = options.map((option, place) => optionButton(option, keys[place] ?? null, answer));
  const element = h('div', { class: 'buttons scale', 'data-form': 'judgment', 'data-question': question.id }, buttons);
  return {
    element,
    value: () => null,
    restore: (value) => mark(buttons, value),
    press(key, when) {
      const option = options[keys.indexOf(key)];
      if (option !== undefined) answer(option.value, when);
      return option !== undefined;
    },
    focus: () => buttons[0]?.focus(),
  };
}

/**
 * Marks the button by which the rater answered before.
 * @param {readonly HTMLElement[]} buttons
 * @param {Value} value
 */
export function mark(buttons, value) {
  for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset['value'] === value));
}

/**
 * A button that answers with an option.
 * @param {ChoiceOption} option
 * @param {string | null} key
 * @param {(value: string, when: number) => void} answer
 * @returns {HTMLButtonElement}
 */
export function optionButton(option, key, answer) {
  return h(
    'button',
    {
      type: 'button',
      class: 'answer',
      'data-value': option.value,
      'aria-keyshortcuts': key,
      onclick: (/** @type {MouseEvent} */ event) => answer(option.value, event.timeStamp),
    },
    h('span', { dir: 'auto' }, option.label),
    key !== null && keycap(key),
  );
}
