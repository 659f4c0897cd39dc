// The button to leave at any time, with a confirmation.

import { h, uniqueId } from './dom.js';

/**
 * @import { LeavingPay } from "../page.js"
 * @import { Language } from "./i18n.js"
 */

/**
 * @param {Language} language
 * @param {() => void} leave
 * @returns {{ dialog: HTMLDialogElement, tell: (pay: LeavingPay | null) => void }} `tell` says what leaving now pays
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
  const paid = h('p', { hidden: true });
  dialog.append(
    h('h2', { id: title }, language.text('withdraw.title')),
    h('p', {}, language.text('withdraw.text')),
    paid,
    h(
      'div',
      { class: 'actions' },
      stay,
      h('button', { type: 'button', 'data-action': 'leave', onclick: go }, language.text('withdraw.leave')),
    ),
  );
  return {
    dialog,
    tell(pay) {
      paid.hidden = pay === null;
      if (pay === null) return;
      const key = Number(pay.amount) > 0 ? 'withdraw.paid' : 'withdraw.unpaid';
      paid.textContent = language.text(key, { amount: language.money(pay.amount, pay.currency) });
    },
  };
}
