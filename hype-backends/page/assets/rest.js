// A rest between blocks, which the rater can cut short.

import { h, keycap } from './dom.js';

/**
 * @import { Language } from "./i18n.js"
 * @import { View } from "./frame.js"
 */

/**
 * @param {number} milliseconds the longest that the rest lasts
 * @param {Language} language
 * @param {() => void} over called once
 * @returns {View}
 */
export function restView(milliseconds, language, over) {
  const end = performance.now() + milliseconds;
  const clock = h('p', { class: 'clock', role: 'timer', 'aria-live': 'off' }, language.clock(milliseconds));
  const heading = h('h1', { tabindex: -1 }, language.text('rest.title'));
  let done = false;
  const finish = () => {
    if (!done) over();
    done = true;
  };
  const timer = setInterval(() => {
    const left = end - performance.now();
    clock.textContent = language.clock(Math.max(0, left));
    if (left <= 0) finish();
  }, 250);
  const element = h(
    'div',
    { class: 'page centred', 'data-screen': 'rest' },
    heading,
    h('p', {}, language.text('rest.text')),
    clock,
    h(
      'div',
      { class: 'actions' },
      h(
        'button',
        { type: 'button', class: 'primary', 'data-action': 'continue', onclick: finish },
        language.text('rest.continue'),
        keycap('Enter'),
      ),
    ),
  );
  return { element, heading, press: pressesEnter(finish), stop: () => clearInterval(timer) };
}

/**
 * Handles Enter if no button has the focus.
 * @param {() => void} act
 * @returns {(event: KeyboardEvent) => void}
 */
export function pressesEnter(act) {
  return (event) => {
    const own = event.target instanceof Element && event.target.closest('button, a, input, select, summary') !== null;
    if (event.key !== 'Enter' || event.repeat || own || document.querySelector('dialog[open]') !== null) return;
    event.preventDefault();
    act();
  };
}
