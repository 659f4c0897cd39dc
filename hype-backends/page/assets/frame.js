// The frame of every screen: title, progress, the button to leave, and whether everything is saved.

import { h } from './dom.js';
import { Guard, isPressing } from './guard.js';
import { SaveStatus } from './status.js';
import { withdrawDialog } from './withdraw.js';

/**
 * @import { LeavingPay, SessionProgress, StudyInfo, ScreenTrial } from "../page.js"
 * @import { Status } from "./outbox.js"
 * @import { Language } from "./i18n.js"
 */

/**
 * One screen.
 * @typedef {object} View
 * @property {HTMLElement} element
 * @property {HTMLElement | null} heading gets the focus when the screen appears
 * @property {(event: KeyboardEvent) => void} [press] handles key presses
 * @property {HTMLElement} [tools] controls that stand in the footer
 * @property {boolean} [waits] whether no press counts until the guard is opened; otherwise those count that begin on the
 *   screen
 * @property {() => void} [stop] stops timers and listeners of the screen
 */

/** The document around the screens. */
export class Frame {
  /** @type {View | null} */
  #view = null;
  #leaving = false;
  /** @type {LeavingPay | null} */
  #pays = null;
  /** Which presses act on the screen. */
  guard = new Guard();

  /**
   * @param {HTMLElement} body
   * @param {{ leave: () => void, pause: () => void, hurry: () => void }} actions `pause` when the rater is asked whether
   *   to leave
   */
  constructor(body, actions) {
    this.actions = actions;
    this.title = h('p', { class: 'study', dir: 'auto' });
    this.progress = h('div', { class: 'progress' });
    this.way = h('div', { class: 'way-out' });
    this.main = h('main', { id: 'main' });
    this.tools = h('div', { class: 'tools' });
    this.contact = h('p', { class: 'contact', dir: 'auto' });
    this.status = new SaveStatus(actions.hurry);
    this.dialogs = h('div');
    body.replaceChildren(
      h('header', {}, this.title, this.progress, this.way),
      this.main,
      h('footer', {}, this.status.element, this.tools, this.contact),
      this.dialogs,
    );
    for (const type of /** @type {const} */ (['pointerdown', 'pointerup', 'keydown', 'keyup'])) {
      document.addEventListener(type, (event) => this.#guard(event), true);
    }
    this.main.addEventListener('click', (event) => this.#guard(event), true);
    document.addEventListener('keydown', (event) => this.#view?.press?.(event));
  }

  /**
   * Keeps presses from the screen that were not meant for it. Keys that press nothing, such as those that move the focus
   * or scroll, keep their meaning for the browser.
   * @param {PointerEvent | KeyboardEvent | MouseEvent} event
   */
  #guard(event) {
    if (this.guard.admits(event)) return;
    // Without a focus, keys go to the body.
    const { target } = event;
    if (target !== document.body && !(target instanceof Node && this.main.contains(target))) return;
    event.stopImmediatePropagation();
    if (!(event instanceof KeyboardEvent) || isPressing(event.key)) event.preventDefault();
  }

  /**
   * Sets the language.
   * @param {Language} language
   */
  speak(language) {
    this.language = language;
    document.documentElement.lang = language.tag;
    document.documentElement.dir = language.direction;
    this.status.speak(language);
    const { dialog, tell } = withdrawDialog(language, this.actions.leave);
    this.dialogs.replaceChildren(dialog);
    const open = () => {
      this.actions.pause();
      tell(this.#pays);
      dialog.showModal();
    };
    this.way.replaceChildren(
      h(
        'button',
        { type: 'button', class: 'quiet', 'data-action': 'withdraw', onclick: open },
        language.text('withdraw.open'),
      ),
    );
    this.way.hidden = !this.#leaving;
  }

  /** @param {Status} status */
  saved(status) {
    this.status.tell(status);
  }

  /**
   * Sets the study, whether there is a session to leave, and what leaving it pays.
   * @param {StudyInfo | null} study
   * @param {"in-session" | "outside"} where
   * @param {LeavingPay | null} pays
   */
  about(study, where, pays) {
    this.#pays = pays;
    this.#leaving = where === 'in-session';
    this.way.hidden = !this.#leaving;
    if (study === null) return;
    const title = study.title ?? this.language?.text('frame.title') ?? '';
    this.title.textContent = title;
    document.title = title;
    const contact = study.contact;
    this.contact.textContent = contact === null ? '' : (this.language?.text('frame.contact', { contact }) ?? contact);
  }

  /** @param {{ trial: ScreenTrial, progress: SessionProgress } | null} where */
  tellProgress(where) {
    const { language } = this;
    if (where === null || language === undefined) {
      this.progress.replaceChildren();
      return;
    }
    const { answered, at_most: all } = where.progress;
    const label = language.text('progress.count', { number: Math.min(answered + 1, all), all });
    const bar = h('progress', { max: all, value: answered, 'aria-label': label });
    const phase = where.trial.phase === 'main' ? '' : language.text(`phase.${where.trial.phase}`);
    this.progress.replaceChildren(
      ...(phase === '' ? [] : [h('span', { class: 'phase' }, phase)]),
      bar,
      h('span', { class: 'count', 'aria-hidden': 'true' }, label),
    );
  }

  /**
   * Replaces the screen.
   * @param {View} view
   */
  show(view) {
    this.#view?.stop?.();
    this.#view = view;
    if (view.waits === true) this.guard.shut();
    else this.guard.open(performance.now());
    this.main.replaceChildren(view.element);
    this.tools.replaceChildren(...(view.tools === undefined ? [] : [view.tools]));
    scrollTo(0, 0);
    view.heading?.focus({ preventScroll: true });
  }
}
