// Screens without questions: a closed study, a refusal, a session in another window, and faults.

import { h } from './dom.js';
import { codeView, onward } from './end.js';

/**
 * @import { AsidePage, ClosedPage, ConsentPage } from "../page.js"
 * @import { Trouble } from "./flow.js"
 * @import { Language } from "./i18n.js"
 * @import { View } from "./frame.js"
 */

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

/**
 * The end for people who do not want to take part, with the panel's way back if it has one.
 * @param {ConsentPage} screen
 * @param {Language} language
 * @param {() => void} back
 * @returns {View}
 */
export function declinedView({ declined }, language, back) {
  const action = { name: 'back', label: language.text('declined.back'), act: back };
  const text = language.text(declined === null ? 'declined.text' : 'declined.return');
  const view = noticeView('declined', language.text('declined.title'), text, [action]);
  if (declined === null) return view;
  const onwards = onward(declined.redirect, language);
  const code = declined.code !== null && codeView(declined.code, language, language.text('declined.code'));
  if (onwards !== null) view.element.querySelector('[data-action=back]')?.classList.remove('primary');
  view.element.lastElementChild?.before(...[code, onwards?.element].filter((one) => one instanceof Node));
  return { ...view, ...(onwards === null ? {} : { stop: onwards.stop }) };
}

/**
 * What a panel's frame shows while the session goes on in a window of its own.
 * @param {AsidePage} screen
 * @param {Language} language
 * @param {string} address of that window
 * @returns {View}
 */
export function asideView({ session }, language, address) {
  const isOpen = session === 'open';
  const view = noticeView(
    'aside',
    language.text(isOpen ? 'aside.open-title' : 'aside.title'),
    language.text(isOpen ? 'aside.open-text' : 'aside.text'),
    [],
  );
  const label = language.text(isOpen ? 'aside.again' : 'aside.start');
  const look = { class: isOpen ? 'button' : 'button primary', 'data-action': 'window' };
  const link = h('a', { ...look, href: address, target: '_blank', rel: 'noopener' }, label);
  view.element.append(h('div', { class: 'actions' }, link));
  return view;
}

/** @param {Language} language @param {() => void} take */
export function takenOverView(language, take) {
  const action = { name: 'take-back', label: language.text('taken-over.back'), act: take };
  return noticeView('taken-over', language.text('taken-over.title'), language.text('taken-over.text'), [action]);
}

/**
 * @param {Trouble} reason
 * @param {string} detail
 * @param {string | null} contact the address to write to
 * @param {Language} language
 * @param {{ again: () => void, leave: () => void }} actions
 * @returns {View}
 */
export function troubleView(reason, detail, contact, language, { again, leave }) {
  const isSize = reason === 'size';
  const actions = [
    { name: 'reload', label: language.text('trouble.again'), act: again },
    ...(isSize ? [{ name: 'leave', label: language.text('needs.leave'), act: leave }] : []),
  ];
  const text = language.text(`trouble.${reason}`);
  const whole = contact ? `${text} ${language.text('trouble.contact', { contact })}` : text;
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
  // The script that loads the page shows it when nothing has come after this for long.
  const stuck = h('p', { class: 'stuck', role: 'alert', hidden: true }, language.text('opening.stuck'));
  return { element: h('div', { class: 'page centred', 'data-screen': 'opening' }, heading, stuck), heading };
}
