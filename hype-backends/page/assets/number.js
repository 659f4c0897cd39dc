// A question for a number: a slider and a field that follow each other.

import { h } from './dom.js';
import { untouchedRange } from './range.js';

/**
 * @import { ScreenQuestion } from "../page.js"
 * @import { Field } from "./choice.js"
 * @import { Language } from "./i18n.js"
 */

/** The number of slider steps for ranges of fractional numbers. */
const STEPS = 200;

/**
 * @param {ScreenQuestion} question
 * @param {{ minimum: number, maximum: number, whole: boolean }} range
 * @param {Language} language
 * @param {() => void} changed
 * @returns {Field}
 */
export function numberField(question, { minimum, maximum, whole }, language, changed) {
  const label = question.text;
  const limits = { min: minimum, max: maximum };
  const field = h('input', {
    type: 'number',
    ...limits,
    step: whole ? 1 : 'any',
    'aria-label': label,
    inputmode: whole ? 'numeric' : 'decimal',
    class: 'number',
    autocomplete: 'off',
  });
  const slider = untouchedRange({ ...limits, step: whole ? 1 : (maximum - minimum) / STEPS }, label, language, () => {
    field.value = slider.element.value;
    changed();
  });
  field.addEventListener('input', () => {
    if (field.value !== '' && field.validity.valid) slider.set(field.valueAsNumber);
    changed();
  });
  const end = (/** @type {number} */ value) => h('span', { class: 'limit' }, language.numbers.format(value));
  const element = h(
    'div',
    { class: 'number-row', 'data-form': 'number', 'data-question': question.id },
    h('div', { class: 'slider' }, end(minimum), slider.element, end(maximum)),
    field,
  );
  return {
    element,
    value: () => (field.value !== '' && field.validity.valid ? field.valueAsNumber : null),
    restore(value) {
      field.value = String(value);
      slider.set(Number(value));
    },
    press: () => false,
    focus: () => field.focus(),
  };
}
