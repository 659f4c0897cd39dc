// A question for a number: a slider and a field that follow each other. Nothing is selected before the first touch, because
// the starting position of a slider biases answers.

import { h } from './dom.js';

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
  const limits = { min: minimum, max: maximum };
  const label = question.text;
  const step = whole ? 1 : (maximum - minimum) / STEPS;
  const slider = h('input', { type: 'range', ...limits, step, 'aria-label': label, class: 'untouched' });
  const field = h('input', {
    type: 'number',
    ...limits,
    step: whole ? 1 : 'any',
    'aria-label': label,
    inputmode: whole ? 'numeric' : 'decimal',
    class: 'number',
    autocomplete: 'off',
  });
  slider.value = String((minimum + maximum) / 2);
  slider.setAttribute('aria-valuetext', language.text('number.none'));
  const touched = () => {
    slider.classList.remove('untouched');
    slider.removeAttribute('aria-valuetext');
    changed();
  };
  const follow = () => {
    field.value = slider.value;
    touched();
  };
  slider.addEventListener('input', follow);
  // A press at the untouched slider's position fires no change, but is an answer.
  slider.addEventListener('pointerup', follow);
  slider.addEventListener('keyup', (event) => {
    if (event.key === ' ') follow();
  });
  field.addEventListener('input', () => {
    if (field.value === '' || !field.validity.valid) {
      changed();
      return;
    }
    slider.value = field.value;
    touched();
  });
  const end = (/** @type {number} */ value) => h('span', { class: 'limit' }, language.numbers.format(value));
  const element = h(
    'div',
    { class: 'number-row', 'data-form': 'number', 'data-question': question.id },
    h('div', { class: 'slider' }, end(minimum), slider, end(maximum)),
    field,
  );
  return {
    element,
    value: () => (field.value !== '' && field.validity.valid ? field.valueAsNumber : null),
    press: () => false,
    focus: () => field.focus(),
  };
}
