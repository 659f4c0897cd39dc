// The button to leave at any time, with a confirmation.

import { h, uniqueId } from './dom.js';

/**
 * @import { Language } from "./i18n.js"
 */

/**
 * @param {Language} language
 * @param {() => void} leave
 * @returns {HTMLDialogElement}
 */
export function withdrawDialog(language, leave) {
  const title = uniqueId('withdraw');
  const dialog = h('dialog', { 'aria-labelledby': title });
  const stay = h(
    'button',
    { type: 'button', class: 'primary', 'data-action': 'stay', onclick: () => dialog.close() },
    language.text('withdraw.stay'),
  );
  const go = () => {
    dialog.close();
    leave();
  };
  dialog.append(
    h('h2', { id: title }, language.text('withdraw.title')),
    h('p', {}, language.text('withdraw.text')),
    h(
      'div',
      { class: 'actions' },
      stay,
      h('button', { type: 'button', 'data-action': 'leave', onclick: go }, language.text('withdraw.leave')),
    ),
  );
  return dialog;
}
