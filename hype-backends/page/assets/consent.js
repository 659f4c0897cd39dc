// The first screen: what the study is, who may take part, and the rater's agreement.

import { h, paragraphs, uniqueId } from './dom.js';
import { environmentWith } from './environment.js';
import { LANGUAGES } from './i18n.js';
import { refusalView } from './refusal.js';

/**
 * @import { Calibration, ConsentPage, PayOffer, PreviewPage, WaitOffer } from "../page.js"
 * @import { Language } from "./i18n.js"
 * @import { View } from "./frame.js"
 */

/**
 * @param {ConsentPage} screen
 * @param {Language} language
 * @param {Promise<Calibration | null>} measured awaited only if the study has requirements
 * @param {{ agree: (adult: boolean | null) => void, decline: () => void, speak: (language: string) => void,
 *   again: () => void }} actions
 * @returns {View}
 */
export function consentView(screen, language, measured, actions) {
  const { minimum_age: age, needs } = screen;
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
  const agreeButton = h(
    'button',
    { type: 'button', class: 'primary', 'data-action': 'agree', onclick: agree, disabled: needs !== null },
    language.text('consent.agree'),
  );
  const consent = h(
    'div',
    { class: 'agreement' },
    age !== null && h('label', { class: 'check' }, box, h('span', {}, language.text('consent.age', { age }))),
    fault,
    needs !== null && h('p', { class: 'note', role: 'status' }, language.text('instructions.checking')),
    h(
      'div',
      { class: 'actions' },
      agreeButton,
      h(
        'button',
        { type: 'button', 'data-action': 'decline', onclick: actions.decline },
        language.text('consent.decline'),
      ),
    ),
  );
  const device = h('div', { class: 'device' });
  const element = h(
    'div',
    { class: 'page', 'data-screen': 'consent' },
    languagePicker(screen, language, actions.speak),
    heading,
    device,
    facts(screen, language),
    h('div', { class: 'prose' }, paragraphs(screen.paragraphs)),
    h('p', { class: 'note' }, language.text('consent.rights')),
    consent,
  );
  if (needs === null) return { element, heading };
  const watching = new AbortController();
  const out = { name: 'decline', label: language.text('needs.not-now'), act: actions.decline };
  measured.then((calibration) => {
    const look = () => {
      const refusal = refusalView(needs, environmentWith(calibration), language, { again: actions.again, out });
      device.replaceChildren(...(refusal === null ? [] : [refusal]));
      consent.hidden = refusal !== null;
    };
    consent.querySelector('[role=status]')?.remove();
    agreeButton.disabled = false;
    look();
    if (!watching.signal.aborted) addEventListener('resize', look, { signal: watching.signal });
  });
  return { element, heading, stop: () => watching.abort() };
}

/** What raters know before they decide. @param {ConsentPage | PreviewPage} screen @param {Language} language */
export function facts(screen, language) {
  const found = [
    screen.minutes !== null && language.text('consent.minutes', { count: screen.minutes }),
    screen.pay !== null && payText(screen.pay, language),
    ...(screen.pay === null ? [] : otherwiseTexts(screen.pay, language)),
    'waiting' in screen && screen.waiting !== null && waitText(screen.waiting, language),
    screen.needs !== null && language.text('consent.needs', { width: screen.needs.width, height: screen.needs.height }),
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

/** @param {WaitOffer} offer @param {Language} language */
function waitText({ minutes_at_most: count, per_hour, currency }, language) {
  return language.text('consent.waiting', { count, pay: language.money(per_hour, currency) });
}

/** @param {PayOffer} pay @param {Language} language */
export function payText(pay, language) {
  const base = language.money(pay.base, pay.currency);
  if (Number(pay.per_correct) === 0) return language.text('consent.pay', { base });
  return language.text('consent.pay-bonus', { base, bonus: language.money(pay.per_correct, pay.currency) });
}

/** What people get who do not come to the end. @param {PayOffer} pay @param {Language} language */
function otherwiseTexts({ currency, base, per_correct, tested, screened_out }, language) {
  const money = (/** @type {string} */ amount) => language.money(amount, currency);
  const untested = Number(per_correct) === 0 ? 'consent.leaving-nothing' : 'consent.leaving-bonus';
  return [
    ...(screened_out === null ? [] : [language.text('consent.pay-screened', { amount: money(screened_out) })]),
    ...(tested ? [language.text('consent.pay-test', { base: money(base) })] : []),
    language.text(tested ? 'consent.leaving-test' : untested),
  ];
}

/** @param {ConsentPage | PreviewPage} screen @param {Language} language @param {(language: string) => void} speak */
export function languagePicker(screen, language, speak) {
  const offered = screen.languages.length > 0 ? screen.languages : [...LANGUAGES];
  if (offered.length < 2) return null;
  const select = h('select', { 'data-action': 'language', onchange: () => speak(select.value) });
  for (const tag of offered) {
    select.append(h('option', { value: tag, lang: tag, selected: tag === screen.language }, language.nameOf(tag)));
  }
  return h('label', { class: 'language' }, h('span', {}, language.text('consent.language')), select);
}
