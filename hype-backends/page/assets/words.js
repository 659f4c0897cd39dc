// A question that is answered in the rater's own words.

import { h, uniqueId } from './dom.js';

/**
 * @import { ScreenQuestion } from "../page.js"
 * @import { Field } from "./choice.js"
 * @import { Language } from "./i18n.js"
 */

/** The length up to which an answer gets one line, in characters. */
const ONE_LINE = 120;

/**
 * @param {ScreenQuestion} question
 * @param {{ at_most: number }} form
 * @param {Language} language
 * @param {() => void} changed
 * @returns {Field}
 */
export function wordsField(question, { at_most }, language, changed) {
  const id = uniqueId('left');
  const left = h('p', { class: 'hint', id });
  const attributes = { class: 'words', dir: 'auto', 'aria-label': question.text, 'aria-describedby': id };
  const field =
    at_most <= ONE_LINE
      ? h('input', { type: 'text', autocomplete: 'off', ...attributes })
      : h('textarea', { rows: 3, ...attributes });
  // Characters count as the server counts them; the attribute `maxlength` counts some of them twice.
  const count = () => [...field.value].length;
  const update = () => {
    const rest = at_most - count();
    left.textContent = language.text(rest < 0 ? 'words.over' : 'words.left', { count: Math.abs(rest) });
    left.classList.toggle('fault', rest < 0);
    changed();
  };
  field.addEventListener('input', update);
  update();
  return {
    element: h('div', { class: 'written', 'data-form': 'words', 'data-question': question.id }, field, left),
    // Control characters come from pasted text and have no meaning here.
    value: () => (field.value.trim() === '' || count() > at_most ? null : plain(field.value)),
    isFaulty: () => count() > at_most,
    restore(value) {
      field.value = String(value);
      update();
    },
    press: () => false,
    focus: () => field.focus(),
  };
}

/** @param {string} text */
function plain(text) {
  return text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '');
}
