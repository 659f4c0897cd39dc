// A slider without a value before the first touch, because the starting position of a slider biases answers.

import { h } from './dom.js';

/** @import { Language } from "./i18n.js" */

/**
 * A slider.
 * @typedef {object} Range
 * @property {HTMLInputElement} element
 * @property {() => boolean} isTouched
 * @property {(value: number) => void} set as if the rater had chosen the value
 */

/**
 * @param {{ min: number, max: number, step: number }} limits
 * @param {string} label
 * @param {Language} language
 * @param {() => void} chosen called whenever the rater has chosen a value
 * @returns {Range}
 */
export function untouchedRange(limits, label, language, chosen) {
  const element = h('input', { type: 'range', ...limits, 'aria-label': label, class: 'untouched' });
  element.value = String((limits.min + limits.max) / 2);
  element.setAttribute('aria-valuetext', language.text('number.none'));
  const touched = () => {
    element.classList.remove('untouched');
    element.removeAttribute('aria-valuetext');
  };
  const choose = () => {
    touched();
    chosen();
  };
  element.addEventListener('input', choose);
  // A press at the untouched slider's position fires no change, but is an answer.
  element.addEventListener('pointerup', choose);
  element.addEventListener('keyup', (event) => {
    if (event.key === ' ') choose();
  });
  return {
    element,
    isTouched: () => !element.classList.contains('untouched'),
    set(value) {
      element.value = String(value);
      touched();
    },
  };
}
