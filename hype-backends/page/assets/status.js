// Whether everything is saved, in plain words.

import { h } from './dom.js';

/**
 * @import { Status } from "./outbox.js"
 * @import { Language } from "./i18n.js"
 */

/** How long a report may be on its way before the rater is told, in milliseconds. */
const QUIET = 800;

/** The line at the foot of the page. */
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
    // What is on its way for a moment is not worth a word, and an attempt after a failure has had its words.
    if (status === 'sending' && shown === 'saved') this.#timer = setTimeout(() => this.#write(), QUIET);
    else if (status !== 'sending') this.#write();
  }

  #write() {
    const status = this.#status;
    this.element.dataset['state'] = status;
    this.button.hidden = status !== 'waiting' && status !== 'offline';
    const text = status === 'saved' ? '' : (this.#language?.text(`saving.${status}`) ?? '');
    // The same words again would be read out again.
    if (this.said.textContent !== text) this.said.textContent = text;
  }
}
