// The last screen of a session: how it ended, what was earned, and the way back to the panel.

import { h } from './dom.js';

/**
 * @import { EarnedPay, EndPage, HandIn } from "../page.js"
 * @import { Language } from "./i18n.js"
 * @import { View } from "./frame.js"
 */

/** The time before the end page redirects, in milliseconds. */
const STAY = 10_000;

/**
 * @param {EndPage} screen
 * @param {Language} language
 * @param {{ isOpened: boolean, next: () => void }} outside whether the window was opened from a panel's frame, which hands in
 *   the session; `next` makes room for the next rater
 * @returns {View}
 */
export function endView(screen, language, { isOpened, next }) {
  const ending = screen.excluded ? 'excluded' : screen.ending;
  const heading = h('h1', { tabindex: -1 }, language.text(`end.${ending}`));
  const { hand_in: form } = screen;
  // Raters who come again decide whether there is something to hand in.
  const hasTime = !screen.again && !isOpened;
  const onwards = form === null ? onward(screen.redirect, language, hasTime) : handIn(form, language, hasTime);
  // The page from which the window was opened comes first.
  if (isOpened) onwards?.element.querySelector('.primary')?.classList.remove('primary');
  const element = h(
    'div',
    { class: 'page', 'data-screen': 'end', 'data-ending': ending },
    heading,
    h('p', {}, language.text(`end.${ending}-text`)),
    screen.earned !== null && earnedView(screen.earned, language),
    form === null && screen.code !== null && codeView(screen.code, language, language.text('end.code')),
    screen.again && h('p', { class: 'warning' }, language.text('end.again')),
    isOpened && onwards !== null && h('p', { class: 'warning' }, language.text('end.elsewhere')),
    onwards?.element ?? (!screen.next_rater && h('p', { class: 'note' }, language.text('end.close'))),
    screen.next_rater && nextView(language, next),
  );
  return { element, heading, ...(onwards === null ? {} : { stop: onwards.stop }) };
}

/** @param {EarnedPay} earned @param {Language} language */
function earnedView(earned, language) {
  const sum = Number(earned.base) + Number(earned.bonus) + Number(earned.waiting ?? 0);
  const total = language.money(sum.toFixed(4), earned.currency);
  const parts = {
    base: language.money(earned.base, earned.currency),
    bonus: language.money(earned.bonus, earned.currency),
  };
  return h(
    'p',
    { class: 'earned' },
    h('strong', {}, language.text('end.earned', { total })),
    Number(earned.bonus) > 0 && h('span', {}, ' ', language.text('end.earned-parts', parts)),
    earned.waiting !== null && [
      h('br'),
      language.text('end.waiting', { waiting: language.money(earned.waiting, earned.currency) }),
    ],
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

/** @param {string} code @param {Language} language @param {string} label */
export function codeView(code, language, label) {
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
    h('p', {}, label),
    h('code', { class: 'code', dir: 'ltr' }, code),
    h('button', { type: 'button', 'data-action': 'copy', onclick: copy }, language.text('end.copy')),
    said,
  );
}

/**
 * The link back to the panel, followed after a while unless the rater chooses to stay.
 * @param {string | null} redirect
 * @param {Language} language
 * @param {boolean} [hasTime] whether it is followed
 */
export function onward(redirect, language, hasTime = true) {
  if (redirect === null || !/^https?:/i.test(redirect)) return null;
  const link = h(
    'a',
    { class: 'button primary', href: redirect, 'data-action': 'redirect' },
    language.text('end.continue'),
  );
  return leading(link, () => location.assign(redirect), language, hasTime);
}

/**
 * The form by which the session is handed in, sent after a while unless the rater chooses to stay.
 * @param {HandIn} form
 * @param {Language} language
 * @param {boolean} hasTime whether it is sent
 */
function handIn({ action, fields }, language, hasTime) {
  if (!/^https?:/i.test(action)) return null;
  const button = h('button', { class: 'primary', 'data-action': 'hand-in' }, language.text('end.hand-in'));
  const inputs = Object.entries(fields).map(([name, value]) => h('input', { type: 'hidden', name, value }));
  const form = h('form', { method: 'post', action }, inputs, button);
  return leading(form, () => form.requestSubmit(), language, hasTime);
}

/**
 * A way back to the panel, taken after a while unless the rater chooses to stay.
 * @param {HTMLElement} way
 * @param {() => void} take
 * @param {Language} language
 * @param {boolean} hasTime whether it is taken
 */
function leading(way, take, language, hasTime) {
  const actions = h('div', { class: 'actions' }, way);
  if (!hasTime) return { element: h('div', { class: 'onward' }, actions), stop: () => undefined };
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
    take();
  };
  const timer = setInterval(tell, 250);
  tell();
  actions.append(stay);
  return { element: h('div', { class: 'onward' }, count, actions), stop };
}
