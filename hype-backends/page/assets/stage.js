// The screen of timed trials: one canvas for a whole block, with space for the questions beneath.

import { conditionsView } from './conditions.js';
import { h } from './dom.js';
import { textsIn } from './gallery.js';
import { LAYOUT } from './layout.js';
import { alignScales } from './scale.js';

/**
 * @import { ScreenPart } from "../page.js"
 * @import { AskingForm } from "./form.js"
 * @import { View } from "./frame.js"
 * @import { Images } from "./images.js"
 * @import { Language } from "./i18n.js"
 */

/** The screen of timed trials. @implements {View} */
export class Stage {
  /** @type {AskingForm | null} */
  #form = null;
  waits = true;

  constructor() {
    this.canvas = h('canvas', { class: 'stage-canvas' });
    this.beside = h('div', { class: 'beside' });
    this.panel = h('div', { class: 'panel' });
    /** @type {HTMLElement | null} */
    this.heading = null;
    this.element = h(
      'div',
      { class: 'stage', 'data-screen': 'timed', tabindex: -1 },
      this.beside,
      h('div', { class: 'stage-room' }, this.canvas),
      this.panel,
    );
    this.element.style.setProperty('--panel-width', `${LAYOUT.panelWidth}px`);
    this.element.style.setProperty('--panel-height', `${LAYOUT.panelHeight}px`);
  }

  /**
   * Prepares the screen for a presentation.
   * @param {readonly ScreenPart[]} parts
   * @param {Images} images of the conditions
   * @param {Language} language
   */
  prepare(parts, images, language) {
    this.#drop();
    this.canvas.setAttribute('role', 'img');
    const isText = textsIn(parts, language).length > 0;
    this.canvas.setAttribute('aria-label', language.text(isText ? 'text.alone' : 'image.alone'));
    const { texts, pictures } = conditionsView(parts, images, language);
    this.beside.replaceChildren(...[texts, pictures].filter((section) => section !== null));
    this.panel.replaceChildren();
    this.element.dataset['place'] = placeOf(parts);
    this.element.dataset['step'] = 'showing';
    this.element.focus({ preventScroll: true });
  }

  /**
   * Shows the questions, which are disabled until `enable`.
   * @param {AskingForm} form
   * @param {HTMLElement | null} remark
   */
  ask(form, remark) {
    this.#drop();
    this.#form = form;
    this.panel.replaceChildren(...(remark === null ? [] : [remark]), form.element);
    alignScales(this.panel);
    this.element.dataset['step'] = 'asking';
    form.set('shut');
    form.heading?.focus({ preventScroll: true });
  }

  enable() {
    this.#form?.set('open');
    this.element.dataset['ready'] = 'true';
  }

  /** Waits for the receipt. */
  wait() {
    this.element.dataset['step'] = 'saving';
    this.#form?.set('shut');
  }

  /** @param {HTMLElement} message */
  tell(message) {
    this.#drop();
    this.element.dataset['step'] = 'feedback';
    this.panel.replaceChildren(message);
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (this.element.dataset['step'] === 'asking') this.#form?.press(event);
  }

  stop() {
    this.#drop();
  }

  #drop() {
    this.#form?.stop();
    this.#form = null;
    delete this.element.dataset['ready'];
  }
}

/**
 * Where the questions stand: below the images, or next to them if the window is too low.
 * @param {readonly ScreenPart[]} parts
 * @returns {"below" | "beside"}
 */
function placeOf(parts) {
  const pixel = 1 / devicePixelRatio;
  const needed = parts.map((part) => {
    if (part.part === 'image') return part.height * pixel;
    if (part.part !== 'gallery') return 0;
    return Math.max(...part.images.map(({ height }) => height * pixel)) + LAYOUT.canvasLabel;
  });
  const texts = parts.some((part) => part.part === 'condition');
  const room = innerHeight - LAYOUT.header - LAYOUT.footer - LAYOUT.panelHeight;
  const isWide = innerWidth >= LAYOUT.wide;
  return isWide && (texts || Math.max(...needed) > room) ? 'beside' : 'below';
}
