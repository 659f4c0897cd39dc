// A visual analogue scale: a place on a line between two labels. The numbers behind it are not shown.

import { h } from './dom.js';
import { untouchedRange } from './range.js';

/**
 * @import { ScreenQuestion } from "../page.js"
 * @import { Field } from "./choice.js"
 * @import { Language } from "./i18n.js"
 */

/**
 * @param {ScreenQuestion} question
 * @param {{ minimum: number, maximum: number, from: string, to: string, step: number }} line
 * @param {Language} language
 * @param {() => void} changed
 * @returns {Field}
 */
export function sliderField(question, { minimum, maximum, from, to, step }, language, changed) {
  const label = `${question.text} ${language.text('slider.ends', { from, to })}`;
  const slider = untouchedRange({ min: minimum, max: maximum, step }, label, language, changed);
  const end = (/** @type {string} */ text) => h('span', { class: 'limit', dir: 'auto', 'aria-hidden': 'true' }, text);
  const element = h(
    'div',
    { class: 'line', 'data-form': 'slider', 'data-question': question.id },
    slider.element,
    h('div', { class: 'ends' }, end(from), end(to)),
  );
  return {
    element,
    value: () => (slider.isTouched() ? slider.element.valueAsNumber : null),
    restore: (value) => slider.set(Number(value)),
    press: () => false,
    focus: () => slider.element.focus(),
  };
}
