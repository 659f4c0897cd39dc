// The instructions before the first trial, or the reason why this device cannot show the study.

import { h, keycap, paragraphs } from './dom.js';
import { refusalView } from './refusal.js';

/**
 * @import { Environment, InstructionsPage } from "../page.js"
 * @import { Language } from "./i18n.js"
 * @import { View } from "./frame.js"
 */

/**
 * @param {InstructionsPage} screen
 * @param {Language} language
 * @param {Promise<Environment>} measured
 * @param {{ begin: (environment: Environment) => void, leave: () => void, again: () => void }} actions
 * @returns {View}
 */
export function instructionsView(screen, language, measured, actions) {
  const heading = h('h1', { tabindex: -1 }, language.text('instructions.title'));
  const begin = h(
    'button',
    { type: 'button', class: 'primary', 'data-action': 'begin', disabled: true },
    language.text('instructions.begin'),
    keycap('Enter'),
  );
  const state = h('p', { class: 'note', role: 'status' }, language.text('instructions.checking'));
  const actionsRow = h('div', { class: 'actions' }, begin);
  const element = h(
    'div',
    { class: 'page', 'data-screen': 'instructions' },
    heading,
    h('div', { class: 'prose' }, paragraphs(screen.paragraphs)),
    screen.timed && h('p', { class: 'note' }, language.text('instructions.timed')),
    screen.flashes &&
      h(
        'p',
        { class: 'warning' },
        h('strong', {}, language.text('instructions.flashes-title')),
        ' ',
        language.text('instructions.flashes'),
      ),
    state,
    actionsRow,
  );
  let ready = false;
  measured.then((environment) => {
    const out = { name: 'leave', label: language.text('needs.leave'), act: actions.leave };
    const refusal =
      screen.needs === null ? null : refusalView(screen.needs, environment, language, { again: actions.again, out });
    if (refusal !== null) {
      element.append(refusal);
      actionsRow.remove();
      state.remove();
      return;
    }
    state.textContent = '';
    begin.disabled = false;
    ready = true;
    begin.addEventListener('click', () => actions.begin(environment));
  });
  return {
    element,
    heading,
    press(event) {
      const own = event.target instanceof Element && event.target.closest('button, a') !== null;
      if (event.key === 'Enter' && !own && !event.repeat && ready) begin.click();
    },
  };
}
