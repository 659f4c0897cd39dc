/** The canvas that stimuli are drawn on, with its size in device pixels, and the texts over it. */

import { LAYOUT } from './layout.js';
import { Sheets } from './sheets.js';

/** Neutral grey around and between images, the middle of the sRGB code values. */
export const SURROUND = '#808080';

const INK = '#000000';
const NUMBER_SHARE = 0.12;
const LABEL_CSS_PX = 20;
const GAP_CSS_PX = 24;

/** The canvas is too small for the images, even with one device pixel for each image pixel. */
export class DoesNotFit extends Error {
  /**
   * @param {number} width of the pictures side by side, device pixels
   * @param {number} height
   * @param {number} ratio device pixels for each CSS pixel
   */
  constructor(width, height, ratio) {
    super(
      `the window is too small for a picture of ${Math.ceil(width / ratio)} by ${Math.ceil(height / ratio)} CSS pixels`,
    );
    this.name = 'DoesNotFit';
    this.width = width / ratio;
    this.height = height / ratio;
  }
}

/**
 * What to draw and where, computed before the presentation.
 * @typedef {object} Picture
 * @property {readonly Placed[]} images
 * @property {string} text in the middle; may be empty
 * @property {HTMLElement | null} sheet a text that stands over the canvas
 */

/** @typedef {{ bitmap: ImageBitmap, x: number, y: number, width: number, height: number, label: string }} Placed */

/**
 * One image pixel covers `k` by `k` device pixels and is never interpolated: `k` is the largest integer not above the
 * device pixel ratio, at least 1. At the ratios 1, 2 and 3 that is one CSS pixel; at 1.25 or 1.5 it is one device
 * pixel. If the canvas is too small, the next smaller integer is used.
 * @param {number} ratio device pixels for each CSS pixel
 * @param {number} width of the images, image pixels
 * @param {number} height
 * @param {number} roomWidth device pixels
 * @param {number} roomHeight
 * @returns {number} 0 where the images do not fit
 */
export function scale(ratio, width, height, roomWidth, roomHeight) {
  const wanted = Math.max(1, Math.floor(ratio + 1e-6));
  return Math.min(wanted, Math.floor(roomWidth / width), Math.floor(roomHeight / height));
}

/** Draws on one long-lived canvas, which fills the box that the page's styles give it. */
export class Surface {
  #canvas;
  #context;
  #sheets;
  #ratio = 1;
  /** Device pixels for each pixel of the images that were laid out last. */
  factor = 1;
  /** @type {Picture | null} */
  #shown = null;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.#canvas = canvas;
    this.#sheets = new Sheets(canvas);
    const context = canvas.getContext('2d', { alpha: false });
    if (context === null) throw new TypeError('the canvas has a context of another kind');
    this.#context = context;
    this.fit();
    new ResizeObserver(() => this.fit()).observe(canvas);
  }

  /** Follows the size of the canvas's box. Resizing clears a canvas, so the drawing is laid out and drawn again. */
  fit() {
    const box = this.#canvas.getBoundingClientRect();
    this.#ratio = window.devicePixelRatio;
    const width = Math.max(1, Math.round(box.width * this.#ratio));
    const height = Math.max(1, Math.round(box.height * this.#ratio));
    if (width === this.#canvas.width && height === this.#canvas.height) return;
    this.#canvas.width = width;
    this.#canvas.height = height;
    const shown = this.#shown;
    this.clear();
    if (shown !== null) this.#again(shown);
  }

  /**
   * Lays out images side by side in the middle.
   * @param {readonly { bitmap: ImageBitmap, label: string }[]} images
   * @returns {Picture}
   * @throws {DoesNotFit}
   */
  place(images) {
    const gap = images.length > 1 ? Math.round(GAP_CSS_PX * this.#ratio) : 0;
    const below = images.some(({ label }) => label !== '') ? Math.round(2 * LABEL_CSS_PX * this.#ratio) : 0;
    const across = images.reduce((sum, { bitmap }) => sum + bitmap.width, 0);
    const tall = Math.max(...images.map(({ bitmap }) => bitmap.height));
    const gaps = gap * (images.length - 1);
    const { width: roomWidth, height: roomHeight } = this.#canvas;
    const k = scale(this.#ratio, across, tall, roomWidth - gaps, roomHeight - below);
    if (k < 1) throw new DoesNotFit(across + gaps, tall + below, this.#ratio);
    this.factor = k;
    let x = Math.floor((roomWidth - across * k - gaps) / 2);
    const placed = images.map(({ bitmap, label }) => {
      const width = bitmap.width * k;
      const height = bitmap.height * k;
      const y = Math.floor((roomHeight - below - height) / 2);
      const here = { bitmap, x, y, width, height, label };
      x += width + gap;
      return here;
    });
    return { images: placed, text: '', sheet: null };
  }

  /**
   * Lays out a text in its field.
   * @param {string} html
   * @returns {Picture}
   * @throws {DoesNotFit}
   */
  placeText(html) {
    const [width, height] = [LAYOUT.fieldWidth * this.#ratio, LAYOUT.fieldHeight * this.#ratio];
    if (Math.round(width) > this.#canvas.width || Math.round(height) > this.#canvas.height) {
      throw new DoesNotFit(width, height, this.#ratio);
    }
    return { images: [], text: '', sheet: this.#sheets.place(html) };
  }

  /** @param {Picture} picture */
  draw(picture) {
    const context = this.#context;
    this.#fill();
    this.#shown = picture;
    this.#sheets.show(picture.sheet);
    context.imageSmoothingEnabled = false;
    for (let index = 0; index < picture.images.length; index += 1) {
      const image = /** @type {Placed} */ (picture.images[index]);
      context.drawImage(image.bitmap, image.x, image.y, image.width, image.height);
      if (image.label !== '') {
        this.#write(
          image.label,
          LABEL_CSS_PX * this.#ratio,
          image.x + image.width / 2,
          image.y + image.height + LABEL_CSS_PX * this.#ratio,
        );
      }
    }
    if (picture.text !== '') {
      const { width, height } = this.#canvas;
      this.#write(picture.text, Math.min(width, height) * NUMBER_SHARE, width / 2, height / 2);
    }
  }

  /** Leaves a grey canvas. */
  clear() {
    this.#shown = null;
    this.#sheets.show(null);
    this.#fill();
  }

  /** Removes the texts of a trial. */
  removeTexts() {
    this.#sheets.clear();
  }

  #fill() {
    this.#context.fillStyle = SURROUND;
    this.#context.fillRect(0, 0, this.#canvas.width, this.#canvas.height);
  }

  /**
   * A drawing that no longer fits returns when the window has grown again.
   * @param {Picture} picture
   */
  #again(picture) {
    try {
      this.draw(picture.images.length === 0 ? picture : this.place(picture.images));
    } catch (error) {
      if (!(error instanceof DoesNotFit)) throw error;
      this.#shown = picture;
    }
  }

  /**
   * @param {string} text
   * @param {number} size device pixels
   * @param {number} x
   * @param {number} y
   */
  #write(text, size, x, y) {
    const context = this.#context;
    context.font = `${Math.round(size)}px sans-serif`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillStyle = INK;
    context.fillText(text, x, y);
  }
}
