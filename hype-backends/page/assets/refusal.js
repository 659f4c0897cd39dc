// Why a device cannot show the study, and what the rater can do about it.

import { h } from './dom.js';
import { unmet } from './environment.js';

/**
 * @import { Environment, Needs } from "../page.js"
 * @import { Language } from "./i18n.js"
 */

/**
 * @param {Needs} needs
 * @param {Environment} environment
 * @param {Language} language
 * @param {{ again: () => void, out: { name: string, label: string, act: () => void } }} actions `out` gives up
 * @returns {HTMLElement | null} `null` if the device meets all requirements
 */
export function refusalView(needs, environment, language, actions) {
  const missing = unmet(needs, environment);
  if (missing.length === 0) return null;
  const numbers = {
    width: needs.width,
    height: needs.height,
    ownWidth: environment.width,
    ownHeight: environment.height,
    hz: needs.refresh_hz,
    ownHz: environment.refresh_hz,
  };
  const { again, out } = actions;
  return h(
    'section',
    { class: 'warning refusal', role: 'alert', 'data-refused': true },
    h('h2', {}, language.text('needs.title')),
    h(
      'ul',
      {},
      missing.map((one) => h('li', {}, language.text(`needs.${one}`, numbers))),
    ),
    h('p', {}, language.text('needs.advice')),
    h(
      'div',
      { class: 'actions' },
      h(
        'button',
        { type: 'button', class: 'primary', 'data-action': 'again', onclick: again },
        language.text('needs.again'),
      ),
      h('button', { type: 'button', 'data-action': out.name, onclick: out.act }, out.label),
    ),
  );
}
