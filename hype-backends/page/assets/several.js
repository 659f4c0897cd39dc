// A question with any number of options to choose: check boxes that show their keys.

import { h, keycap } from './dom.js';
import { assignKeys } from './keys.js';

/**
 * @import { ChoiceOption, ScreenQuestion } from "../page.js"
 * @import { Field } from "./choice.js"
 * @import { Language } from "./i18n.js"
 */

/**
 * @param {ScreenQuestion} question
 * @param {{ options: readonly ChoiceOption[], at_least: number, at_most: number }} form
 * @param {Language} language
 * @param {() => void} changed
 * @returns {Field}
 */
export function severalField(question, { options, at_least, at_most }, language, changed) {
  const keys = assignKeys(options);
  const inputs = options.map((option) => h('input', { type: 'checkbox', value: option.value }));
  const chosen = () => inputs.filter((input) => input.checked);
  // What can no longer be chosen says so; what is chosen can always be taken back.
  const update = () => {
    const isFull = chosen().length >= at_most;
    for (const input of inputs) input.disabled = isFull && !input.checked;
    changed();
  };
  const rows = options.map((option, place) => {
    const key = keys[place] ?? null;
    const input = /** @type {HTMLInputElement} */ (inputs[place]);
    input.addEventListener('change', update);
    if (key !== null) input.setAttribute('aria-keyshortcuts', key);
    const text = h('span', { class: 'option-text', dir: 'auto' }, option.label);
    return h('label', { class: 'option' }, input, text, key !== null && keycap(key));
  });
  const all = options.length;
  const hint = language.text(at_most >= all && at_least <= 1 ? 'several.any' : 'several.count', {
    least: at_least,
    most: Math.min(at_most, all),
  });
  const element = h(
    'div',
    { class: 'options', 'data-form': 'several', 'data-question': question.id },
    h('p', { class: 'hint' }, hint),
    rows,
  );
  return {
    element,
    value() {
      const values = chosen().map((input) => input.value);
      return values.length >= Math.max(1, at_least) ? values : null;
    },
    restore(value) {
      const values = Array.isArray(value) ? value : [];
      for (const input of inputs) input.checked = values.includes(input.value);
      update();
    },
    press(key) {
      const input = inputs[keys.indexOf(key)];
      if (input === undefined) return false;
      if (!input.disabled) {
        input.checked = !input.checked;
        input.focus();
        update();
      }
      return true;
    },
    focus: () => (chosen()[0] ?? inputs[0])?.focus(),
  };
}
