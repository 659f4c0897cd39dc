// Whether everything is saved, in plain words.

import { h } from './dom.js';

/**
 * @import { Status } from "./outbox.js"
 * @import { Language } from "./i18n.js"
 */

/** The time after which the page shows that a report is being sent, in milliseconds. */
const QUIET = 800;

/** The status line at the foot of the page. */
export class SaveStatus {
  /** @type {Status} */
  #status = 'saved';
  /** @type {Language | undefined} */
  #language;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {() => void} hurry sends at once */
  constructor(hurry) {
    this.hurry = hurry;
    this.said = h('p', { role: 'status', class: 'said' });
    this.button = h('button', { type: 'button', class: 'quiet', hidden: true, 'data-action': 'hurry', onclick: hurry });
    this.element = h('div', { class: 'save-status', 'data-state': 'saved' }, this.said, this.button);
  }

  /** @param {Language} language */
  speak(language) {
    this.#language = language;
    this.button.textContent = language.text('saving.now');
    this.tell(this.#status);
  }

  /** @param {Status} status */
  tell(status) {
    this.#status = status;
    clearTimeout(this.#timer);
    const shown = this.element.dataset['state'];
    // A short request needs no message, and a retry already has one.
    if (status === 'sending' && shown === 'saved') this.#timer = setTimeout(() => this.#write(), QUIET);
    else if (status !== 'sending') this.#write();
  }

  #write() {
    const status = this.#status;
    this.element.dataset['state'] = status;
    this.button.hidden = status !== 'waiting' && status !== 'offline';
    const text = status === 'saved' ? '' : (this.#language?.text(`saving.${status}`) ?? '');
    // Setting the same text would make screen readers read it again.
    if (this.said.textContent !== text) this.said.textContent = text;
  }
}
