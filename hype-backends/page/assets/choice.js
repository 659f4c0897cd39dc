// A question with worded options: radio buttons that show their keys.

import { h, keycap, uniqueId } from './dom.js';
import { assignKeys } from './keys.js';

/**
 * @import { ChoiceOption, ScreenQuestion, Value } from "../page.js"
 */

/**
 * One question on the page.
 * @typedef {object} Field
 * @property {HTMLElement} element
 * @property {() => Value | null} value `null` until it is answered
 * @property {(value: Value) => void} restore sets the value that the rater gave before
 * @property {() => boolean} [isFaulty] whether what was entered is not a valid answer
 * @property {(key: string, when: number) => boolean} press handles a key of this question; `when` is the event's time stamp
 * @property {() => void} focus
 * @property {(texts: readonly HTMLElement[]) => void} [over] takes the texts that the trial shows
 * @property {() => void} [stop] stops timers and listeners
 */

/**
 * @param {ScreenQuestion} question
 * @param {readonly ChoiceOption[]} options
 * @param {"ltr" | null} dir the direction in which options run, if it is not that of the language
 * @param {() => void} changed
 * @returns {Field}
 */
export function choiceField(question, options, dir, changed) {
  const name = uniqueId('choice');
  const keys = assignKeys(options);
  const inputs = options.map((option) => h('input', { type: 'radio', name, value: option.value, onchange: changed }));
  const rows = options.map((option, place) => {
    const key = keys[place] ?? null;
    const input = /** @type {HTMLInputElement} */ (inputs[place]);
    if (key !== null) input.setAttribute('aria-keyshortcuts', key);
    return h(
      'label',
      { class: 'option' },
      input,
      h('span', { class: 'option-text', dir: 'auto' }, option.label),
      key !== null && keycap(key),
    );
  });
  const element = h('div', { class: 'options scale', dir, 'data-form': 'choice', 'data-question': question.id }, rows);
  return {
    element,
    value: () => inputs.find((input) => input.checked)?.value ?? null,
    restore(value) {
      for (const input of inputs) input.checked = input.value === value;
    },
    press(key) {
      const input = inputs[keys.indexOf(key)];
      if (input === undefined) return false;
      input.checked = true;
      input.focus();
      changed();
      return true;
    },
    focus: () => (inputs.find((input) => input.checked) ?? inputs[0])?.focus(),
  };
}
