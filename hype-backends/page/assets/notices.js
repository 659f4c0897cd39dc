// Screens without questions: the end, a closed study, a session in another tab, and faults.

import { h } from './dom.js';

/**
 * @import { ClosedPage, EarnedPay, EndPage, StudyInfo } from "../page.js"
 * @import { Trouble } from "./flow.js"
 * @import { Language } from "./i18n.js"
 * @import { View } from "./frame.js"
 */

/** The time before the end page redirects, in milliseconds. */
const STAY = 10_000;

/**
 * @param {EndPage} screen
 * @param {Language} language
 * @param {() => void} next makes room for the next rater
 * @returns {View}
 */
export function endView(screen, language, next) {
  const heading = h('h1', { tabindex: -1 }, language.text(`end.${screen.ending}`));
  const onwards = onward(screen.redirect, language);
  const element = h(
    'div',
    { class: 'page', 'data-screen': 'end', 'data-ending': screen.ending },
    heading,
    h('p', {}, language.text(`end.${screen.ending}-text`)),
    screen.earned !== null && earnedView(screen.earned, language),
    screen.code !== null && codeView(screen.code, language),
    onwards?.element ?? (!screen.next_rater && h('p', { class: 'note' }, language.text('end.close'))),
    screen.next_rater && nextView(language, next),
  );
  return { element, heading, ...(onwards === null ? {} : { stop: onwards.stop }) };
}

/** @param {EarnedPay} earned @param {Language} language */
function earnedView(earned, language) {
  const total = language.money((Number(earned.base) + Number(earned.bonus)).toFixed(4), earned.currency);
  const parts = {
    base: language.money(earned.base, earned.currency),
    bonus: language.money(earned.bonus, earned.currency),
  };
  return h(
    'p',
    { class: 'earned' },
    h('strong', {}, language.text('end.earned', { total })),
    Number(earned.bonus) > 0 && h('span', {}, ' ', language.text('end.earned-parts', parts)),
  );
}

/** @param {Language} language @param {() => void} next */
function nextView(language, next) {
  return h(
    'div',
    { class: 'actions' },
    h('button', { type: 'button', 'data-action': 'next', onclick: next }, language.text('end.next')),
  );
}

/** @param {string} code @param {Language} language */
function codeView(code, language) {
  const said = h('span', { class: 'note', role: 'status' });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(code);
      said.textContent = language.text('end.copied');
    } catch {
      said.textContent = language.text('end.not-copied');
    }
  };
  return h(
    'div',
    { class: 'code-row' },
    h('p', {}, language.text('end.code')),
    h('code', { class: 'code', dir: 'ltr' }, code),
    h('button', { type: 'button', 'data-action': 'copy', onclick: copy }, language.text('end.copy')),
    said,
  );
}

/**
 * The link back to the panel, followed after a while unless the rater chooses to stay.
 * @param {string | null} redirect
 * @param {Language} language
 */
function onward(redirect, language) {
  if (redirect === null || !/^https?:/i.test(redirect)) return null;
  const end = performance.now() + STAY;
  const count = h('p', { class: 'note' });
  const stop = () => clearInterval(timer);
  const stay = h('button', { type: 'button', 'data-action': 'stay' }, language.text('end.stay'));
  stay.addEventListener('click', () => {
    stop();
    count.remove();
    stay.remove();
  });
  const tell = () => {
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    count.textContent = language.text('end.going', { count: left });
    if (left > 0) return;
    stop();
    location.assign(redirect);
  };
  const timer = setInterval(tell, 250);
  tell();
  const link = h(
    'a',
    { class: 'button primary', href: redirect, 'data-action': 'redirect' },
    language.text('end.continue'),
  );
  return { element: h('div', { class: 'onward' }, count, h('div', { class: 'actions' }, link, stay)), stop };
}

/**
 * A heading, a text and buttons.
 * @param {string} screen
 * @param {string} title
 * @param {string} text
 * @param {{ name: string, label: string, act: () => void }[]} actions the first is the primary one
 * @param {string | null} [detail]
 * @returns {View}
 */
function noticeView(screen, title, text, actions, detail = null) {
  const heading = h('h1', { tabindex: -1 }, title);
  const element = h(
    'div',
    { class: 'page', 'data-screen': screen },
    heading,
    h('p', {}, text),
    detail !== null && h('p', { class: 'note detail', dir: 'auto' }, detail),
    actions.length > 0 &&
      h(
        'div',
        { class: 'actions' },
        actions.map(({ name, label, act }, place) =>
          h(
            'button',
            { type: 'button', class: place === 0 ? 'primary' : null, 'data-action': name, onclick: act },
            label,
          ),
        ),
      ),
  );
  return { element, heading };
}

/** @param {ClosedPage} screen @param {Language} language */
export function closedView(screen, language) {
  return noticeView('closed', language.text('closed.title'), language.text(`closed.${screen.reason}`), []);
}

/** @param {Language} language @returns {View} shown while the page waits until it may enter */
export function crowdedView(language) {
  return noticeView('crowded', language.text('crowded.title'), language.text('crowded.text'), []);
}

/** @param {Language} language @param {() => void} back */
export function declinedView(language, back) {
  const action = { name: 'back', label: language.text('declined.back'), act: back };
  return noticeView('declined', language.text('declined.title'), language.text('declined.text'), [action]);
}

/** @param {Language} language @param {() => void} take */
export function takenOverView(language, take) {
  const action = { name: 'take-back', label: language.text('taken-over.back'), act: take };
  return noticeView('taken-over', language.text('taken-over.title'), language.text('taken-over.text'), [action]);
}

/**
 * @param {Trouble} reason
 * @param {string} detail
 * @param {StudyInfo | null} study
 * @param {Language} language
 * @param {{ again: () => void, leave: () => void }} actions
 * @returns {View}
 */
export function troubleView(reason, detail, study, language, { again, leave }) {
  const isSize = reason === 'size';
  const actions = [
    { name: 'reload', label: language.text('trouble.again'), act: again },
    ...(isSize ? [{ name: 'leave', label: language.text('needs.leave'), act: leave }] : []),
  ];
  const text = language.text(`trouble.${reason}`);
  const whole = study?.contact ? `${text} ${language.text('trouble.contact', { contact: study.contact })}` : text;
  const view = noticeView('trouble', language.text('trouble.title'), whole, actions, detail);
  if (!isSize) return view;
  // A window that is made larger is tried at once; one that leaves full screen becomes smaller.
  const [width, height] = [innerWidth, innerHeight];
  const look = () => {
    if (innerWidth > width || innerHeight > height) again();
  };
  addEventListener('resize', look);
  return { ...view, stop: () => removeEventListener('resize', look) };
}

/** @param {Language} language @returns {View} */
export function openingView(language) {
  const heading = h('h1', { tabindex: -1, class: 'quiet' }, language.text('opening.title'));
  return { element: h('div', { class: 'page centred', 'data-screen': 'opening' }, heading), heading };
}
