// The screen before a timed block: its images load, then the rater starts it.

import { h, keycap } from './dom.js';
import { pressesEnter } from './rest.js';

/**
 * @import { Disturbance, ScreenTrial } from "../page.js"
 * @import { Language } from "./i18n.js"
 * @import { View } from "./frame.js"
 */

/**
 * @param {Language} language
 * @returns {View & { progress: (done: number, all: number) => void }}
 */
export function loadingView(language) {
  const heading = h('h1', { tabindex: -1 }, language.text('loading.title'));
  const bar = h('progress', { max: 1, value: 0, 'aria-label': language.text('loading.title') });
  const count = h('p', { class: 'note' });
  const element = h('div', { class: 'page centred', 'data-screen': 'loading' }, heading, bar, count);
  return {
    element,
    heading,
    progress(done, all) {
      bar.max = Math.max(1, all);
      bar.value = done;
      count.textContent = language.text('loading.count', { done, all });
    },
  };
}

/**
 * @param {ScreenTrial} trial
 * @param {Disturbance | null} interrupted why the presentation before was void
 * @param {Language} language
 * @param {() => void} start
 * @returns {View}
 */
export function readyView(trial, interrupted, language, start) {
  const heading = h('h1', { tabindex: -1 }, language.text(interrupted === null ? 'ready.title' : 'ready.interrupted'));
  const phase = trial.phase === 'main' ? null : h('p', { class: 'phase' }, language.text(`phase.${trial.phase}`));
  const element = h(
    'div',
    { class: 'page centred', 'data-screen': 'ready', 'data-trial': `${trial.number}.${trial.showing}` },
    phase,
    heading,
    interrupted !== null && h('p', {}, language.text(`disturbed.${interrupted}`), ' ', language.text('ready.again')),
    h('p', {}, language.text('ready.text')),
    h(
      'div',
      { class: 'actions' },
      h(
        'button',
        { type: 'button', class: 'primary', 'data-action': 'start', onclick: start },
        language.text('ready.start'),
        keycap('Enter'),
      ),
    ),
  );
  return { element, heading, press: pressesEnter(start) };
}
