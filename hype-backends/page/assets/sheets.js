// Texts that are shown for a limited time, each laid out in a field of one size before the presentation, over the canvas of images.

import { h } from './dom.js';
import { fragmentOf } from './fragment.js';
import { LAYOUT } from './layout.js';

/** The size of type in CSS pixels, and the least that it is reduced to where a text does not fit. */
const TYPE = Object.freeze({ usual: 16, least: 8 });

/**
 * The largest size of type at which a text fits.
 * @param {(size: number) => boolean} fits
 * @returns {number} CSS pixels; the least if it fits at none
 */
export function typeSize(fits) {
  for (let size = TYPE.usual; size > TYPE.least; size -= 1) if (fits(size)) return size;
  return TYPE.least;
}

/** The texts of a trial. At most one is on the screen. */
export class Sheets {
  #canvas;
  /** @type {HTMLElement[]} */
  #sheets = [];
  /** @type {HTMLElement | null} */
  #shown = null;

  /** @param {HTMLElement} canvas over which texts stand */
  constructor(canvas) {
    this.#canvas = canvas;
  }

  /**
   * Lays out a text, which stays invisible.
   * @param {string} html
   * @returns {HTMLElement}
   */
  place(html) {
    const text = h('div', { class: 'text' });
    text.append(fragmentOf(html));
    const sheet = h('div', { class: 'sheet', dir: 'auto', translate: 'no', 'aria-hidden': 'true' }, text);
    sheet.style.inlineSize = `${LAYOUT.fieldWidth}px`;
    sheet.style.blockSize = `${LAYOUT.fieldHeight}px`;
    this.#canvas.after(sheet);
    this.#sheets.push(sheet);
    typeSize((size) => {
      sheet.style.fontSize = `${size}px`;
      return text.scrollHeight <= text.clientHeight && text.scrollWidth <= text.clientWidth;
    });
    return sheet;
  }

  /** Shows one text in place of another. @param {HTMLElement | null} sheet `null` for none */
  show(sheet) {
    if (sheet === this.#shown) return;
    this.#shown?.removeAttribute('data-shown');
    sheet?.setAttribute('data-shown', '');
    this.#shown = sheet;
  }

  /** Removes all texts. */
  clear() {
    this.show(null);
    for (const sheet of this.#sheets) sheet.remove();
    this.#sheets = [];
  }
}
