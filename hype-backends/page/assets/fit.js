// How large the images of an untimed trial are, and where its questions stand, so that both fit the window.

import { LAYOUT } from './layout.js';

/**
 * @import { Enlargement, ImageScale } from "../page.js"
 * @import { Closely } from "./closely.js"
 * @import { Enlarging } from "./enlarging.js"
 */

/** How often an interval of scales is halved: to a thousandth. */
const HALVINGS = 10;

/**
 * How large images are shown, in CSS pixels for each pixel of an image.
 * @typedef {object} Range
 * @property {number} least
 * @property {number} whole the largest number of device pixels for each pixel of an image, at least 1
 */

/**
 * The range for images of these sizes.
 * @param {readonly { width: number, height: number }[]} images
 * @param {number} ratio device pixels for each CSS pixel
 * @returns {Range}
 */
export function rangeOf(images, ratio) {
  const longest = Math.max(1, ...images.map(({ width, height }) => Math.max(width, height)));
  const shortest = Math.max(1, Math.min(...images.map(({ width, height }) => Math.min(width, height))));
  return {
    least: Math.min(LAYOUT.smallest / shortest, 1 / ratio),
    whole: Math.max(1, Math.floor((LAYOUT.largest * ratio) / longest)),
  };
}

/**
 * The largest scale that fits. Images are enlarged by whole numbers of device pixels, and reduced by any factor.
 * @param {Range} range
 * @param {number} ratio device pixels for each CSS pixel
 * @param {(scale: number) => boolean} fits
 * @returns {number} CSS pixels for each pixel of an image
 */
export function largestScale({ least, whole }, ratio, fits) {
  for (let pixels = whole; pixels >= 1; pixels -= 1) if (fits(pixels / ratio)) return pixels / ratio;
  let [low, high] = [least, 1 / ratio];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * Makes an image one of those that are scaled together.
 * @template {HTMLImageElement} T
 * @param {T} image
 * @param {{ width: number, height: number }} size in pixels of the image
 * @returns {T}
 */
export function scaled(image, { width, height }) {
  image.width = width;
  image.height = height;
  image.classList.add('scaled');
  image.style.setProperty('--width', String(width));
  image.style.setProperty('--height', String(height));
  return image;
}

/**
 * Where the questions stand: beside the images, or below them, with less height where that is `low`. Questions that do
 * not fit there are scrolled; the images stay.
 * @typedef {"beside" | "below" | "low"} Place
 */

/** The dimensions that the styles of trials take. */
const DIMENSIONS = {
  '--margin': `${LAYOUT.margin}px`,
  '--gap': `${LAYOUT.gap}px`,
  '--beside': `clamp(${LAYOUT.besideLeast}px, (100% - ${2 * LAYOUT.margin}px) * ${LAYOUT.besideShare}, ${LAYOUT.besideMost}px)`,
  '--below': `${LAYOUT.belowShare * 100}vh`,
  '--low': `${LAYOUT.lowShare * 100}vh`,
};

/**
 * A scale as it is reported.
 * @param {number} factor device pixels for each pixel of an image
 * @param {Enlargement} [enlarge] how images are enlarged
 * @returns {ImageScale}
 */
export function imageScale(factor, enlarge = 'nearest') {
  const rounded = (/** @type {number} */ number) => Math.round(number * 1000) / 1000;
  const scale = { factor: rounded(factor), pixel_ratio: rounded(devicePixelRatio) };
  return scale.factor > 1 && enlarge !== 'nearest' ? { ...scale, enlarge } : scale;
}

/** Keeps a trial fitted to its window. */
export class Fitted {
  #trial;
  /** @type {readonly Place[]} */
  #places;
  #observer = new ResizeObserver(() => this.fit());
  #size = '';
  #factor = 1;
  #enlarging;
  #closely;

  /**
   * @param {HTMLElement} trial with elements `.scaled` to be sized, and boxes `.room` that must not overflow
   * @param {readonly Place[]} places where the questions may stand, the preferred one first
   * @param {Enlarging | null} [enlarging] shows enlarged images interpolated; without it, their pixels become squares
   * @param {Closely | null} [closely] shows images closer than fitted
   */
  constructor(trial, places, enlarging = null, closely = null) {
    this.#enlarging = enlarging;
    this.#closely = closely;
    this.#trial = trial;
    this.#places = places;
    for (const [name, value] of Object.entries(DIMENSIONS)) trial.style.setProperty(name, value);
  }

  /** Fits the trial, which is in the document now, and again whenever its size changes. */
  start() {
    this.fit();
    this.#observer.observe(this.#trial);
  }

  stop() {
    this.#observer.disconnect();
  }

  /** The scale in force. */
  get scale() {
    return imageScale(this.#factor, this.#enlarging === null ? 'nearest' : 'lanczos');
  }

  fit() {
    const ratio = window.devicePixelRatio;
    const { clientWidth, clientHeight } = this.#trial;
    const size = `${clientWidth} ${clientHeight} ${ratio}`;
    if (size === this.#size) return;
    this.#size = size;
    const images = [...this.#trial.querySelectorAll('img.scaled')].map((image) => ({
      width: Number(image.getAttribute('width')),
      height: Number(image.getAttribute('height')),
    }));
    const range = rangeOf(images, ratio);
    const places = this.#places.filter((place) => place !== 'beside' || clientWidth >= LAYOUT.wide);
    const found = places.map((place) => {
      this.#trial.dataset['place'] = place;
      const scale = largestScale(range, ratio, (scale) => this.#fits(scale));
      return { place, scale, worth: this.#fits(scale) ? scale : 0 };
    });
    const best = found.reduce((best, one) => (one.worth > best.worth * LAYOUT.preference ? one : best));
    this.#trial.dataset['place'] = best.place;
    this.#scale(best.scale);
    this.#factor = best.scale * ratio;
    this.#trial.dataset['drawn'] = this.#factor > 1 ? 'enlarged' : 'whole';
    this.#trial.dataset['scale'] = String(this.scale.factor);
    // The product of a whole number and the ratio may differ from it by a rounding error.
    this.#enlarging?.show(this.#factor > 1 ? Math.round(this.#factor) : 1);
    this.#closely?.fitted(this.#factor);
  }

  /** @param {number} scale CSS pixels for each pixel of an image */
  #scale(scale) {
    this.#trial.style.setProperty('--scale', String(scale));
  }

  /** @param {number} scale */
  #fits(scale) {
    this.#scale(scale);
    return [this.#trial, ...this.#trial.querySelectorAll('.room')].every(
      (room) => room.scrollWidth <= room.clientWidth && room.scrollHeight <= room.clientHeight,
    );
  }
}
