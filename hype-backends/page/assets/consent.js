// The first screen: what the study is, who may take part, and the rater's agreement.

import { h, paragraphs, uniqueId } from './dom.js';
import { LANGUAGES } from './i18n.js';

/**
 * @import { ConsentPage, PayOffer } from "../page.js"
 * @import { Language } from "./i18n.js"
 * @import { View } from "./frame.js"
 */

/**
 * @param {ConsentPage} screen
 * @param {Language} language
 * @param {{ agree: (adult: boolean | null) => void, decline: () => void, speak: (language: string) => void }} actions
 * @returns {View}
 */
export function consentView(screen, language, actions) {
  const { minimum_age: age } = screen;
  const fault = h('p', { class: 'fault', role: 'alert', id: uniqueId('fault') });
  const box = h('input', { type: 'checkbox', 'aria-describedby': fault.id, onchange: () => (fault.textContent = '') });
  const agree = () => {
    if (age !== null && !box.checked) {
      fault.textContent = language.text('consent.age-missing', { age });
      box.focus();
      return;
    }
    actions.agree(age === null ? null : true);
  };
  const heading = h('h1', { tabindex: -1 }, language.text('consent.title'));
  const element = h(
    'div',
    { class: 'page', 'data-screen': 'consent' },
    languagePicker(screen, language, actions.speak),
    heading,
    facts(screen, language),
    h('div', { class: 'prose' }, paragraphs(screen.paragraphs)),
    h('p', { class: 'note' }, language.text('consent.rights')),
    age !== null && h('label', { class: 'check' }, box, h('span', {}, language.text('consent.age', { age }))),
    fault,
    h(
      'div',
      { class: 'actions' },
      h(
        'button',
        { type: 'button', class: 'primary', 'data-action': 'agree', onclick: agree },
        language.text('consent.agree'),
      ),
      h(
        'button',
        { type: 'button', 'data-action': 'decline', onclick: actions.decline },
        language.text('consent.decline'),
      ),
    ),
  );
  return { element, heading };
}

/** @param {ConsentPage} screen @param {Language} language */
function facts(screen, language) {
  const found = [
    screen.minutes !== null && language.text('consent.minutes', { count: screen.minutes }),
    screen.pay !== null && payText(screen.pay, language),
  ].filter((fact) => fact !== false);
  return (
    found.length > 0 &&
    h(
      'ul',
      { class: 'facts' },
      found.map((fact) => h('li', {}, fact)),
    )
  );
}

/** @param {PayOffer} pay @param {Language} language */
function payText(pay, language) {
  const base = language.money(pay.base, pay.currency);
  if (Number(pay.per_correct) === 0) return language.text('consent.pay', { base });
  return language.text('consent.pay-bonus', { base, bonus: language.money(pay.per_correct, pay.currency) });
}

/** @param {ConsentPage} screen @param {Language} language @param {(language: string) => void} speak */
function languagePicker(screen, language, speak) {
  const offered = screen.languages.length > 0 ? screen.languages : [...LANGUAGES];
  if (offered.length < 2) return null;
  const select = h('select', { 'data-action': 'language', onchange: () => speak(select.value) });
  for (const tag of offered) {
    select.append(h('option', { value: tag, lang: tag, selected: tag === screen.language }, language.nameOf(tag)));
  }
  return h('label', { class: 'language' }, h('span', {}, language.text('consent.language')), select);
}
