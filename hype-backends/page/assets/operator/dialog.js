// Dialogs that say what is about to happen, and ask for what it needs.

import { h, uniqueId } from '../dom.js';
import { named, rest } from './parts.js';

/**
 * @import { Child } from "../dom.js"
 */

/**
 * Asks before an action. Resolves when the dialog is closed.
 * @param {object} asked
 * @param {string} asked.title
 * @param {Child[]} asked.about what will happen
 * @param {string} asked.verb the text of the button
 * @param {boolean} [asked.grave] whether the action is hard to undo
 * @param {HTMLInputElement | HTMLTextAreaElement | null} [asked.field] what the action needs
 * @param {string} [asked.label] the field's label
 * @param {Child} [asked.hint] what is said below the field
 * @param {() => Promise<Child[] | null>} asked.act takes the action; what it returns is shown before the dialog closes
 * @returns {Promise<void>}
 */
export function ask({ title, about, verb, grave = false, field = null, label = '', hint = null, act }) {
  const [heading, text] = [uniqueId('dialog'), uniqueId('about')];
  const fault = h('p', { class: 'fault', role: 'alert', hidden: true });
  const body = h('div', { id: text }, about);
  const confirm = h('button', { type: 'submit', class: grave ? 'grave' : 'strong' }, verb);
  const cancel = h('button', { type: 'button', class: 'quiet', onclick: () => dialog.close() }, 'Cancel');
  const form = h(
    'form',
    { method: 'dialog' },
    h('h2', { id: heading }, title),
    body,
    field ? h('label', {}, h('span', {}, label), field) : null,
    hint,
    fault,
    h('div', { class: 'buttons' }, confirm, cancel),
  );
  const dialog = h('dialog', { 'aria-labelledby': heading, 'aria-describedby': text }, form);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    // A second click, while the first one is on its way, would be the same request anyway.
    if (confirm.disabled) return;
    void take();
  });

  async function take() {
    confirm.disabled = true;
    fault.hidden = true;
    try {
      const result = await act();
      if (result === null) return dialog.close();
      body.replaceChildren(h('div', {}, result));
      field?.parentElement?.remove();
      if (hint instanceof Element) hint.remove();
      confirm.remove();
      cancel.textContent = 'Close';
      cancel.focus();
    } catch (error) {
      fault.textContent = error instanceof Error ? error.message : String(error);
      fault.hidden = false;
      confirm.disabled = false;
    }
  }

  return new Promise((resolve) => {
    const before = document.activeElement;
    const around = before?.closest('section, [role=tabpanel], header') ?? null;
    dialog.addEventListener('close', () => {
      dialog.remove();
      // Its part of the page may have been drawn again, without the control from which the dialog was opened.
      const name = before instanceof HTMLElement ? before.dataset['name'] : undefined;
      const again = before?.isConnected ? before : named(document.body, name);
      if (again instanceof HTMLElement) again.focus();
      else rest(around);
      resolve();
    });
    document.body.append(dialog);
    dialog.showModal();
    (field ?? (grave ? cancel : confirm)).focus();
  });
}
