// How large the images of an untimed trial are, and where its questions stand, for both to fit the window.

import { arranged, largestScale, rangeOf } from './arrangement.js';
import { LAYOUT } from './layout.js';
import { alignScales } from './scale.js';

/**
 * @import { Enlargement, ImageScale } from "../page.js"
 * @import { Arrangement, Pictures } from "./arrangement.js"
 * @import { Closely } from "./closely.js"
 * @import { Enlarging } from "./enlarging.js"
 */

/**
 * Makes an image or a clip one of those that are scaled together.
 * @template {HTMLImageElement | HTMLVideoElement} T
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
 * Where the questions stand: next to the images, or below them, with less height where that is `low`. Forms that do not fit
 * there are scrolled; the images stay.
 * @typedef {"beside" | "below" | "low"} Place
 */

/** Where questions may stand by the way of asking, the preferred place first. @type {Record<string, readonly Place[]>} */
const PLACES = {
  pick: ['below', 'beside'],
  judgment: ['below', 'beside'],
  form: ['beside', 'below', 'low'],
};

/** The dimensions that the styles of trials take. */
const DIMENSIONS = {
  '--margin': `${LAYOUT.margin}px`,
  '--gap': `${LAYOUT.gap}px`,
  '--space': `${LAYOUT.space}px`,
  '--beside': `clamp(${LAYOUT.besideLeast}px, (100% - ${2 * LAYOUT.margin}px) * ${LAYOUT.besideShare}, ${LAYOUT.besideMost}px)`,
  '--below': `${LAYOUT.belowShare * 100}vh`,
  '--low': `${LAYOUT.lowShare * 100}vh`,
  '--figure': `${LAYOUT.figure + LAYOUT.frame}px`,
  '--frame': `${LAYOUT.frame / 2}px`,
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
  #ground;
  #way;
  #observer = new ResizeObserver(() => this.fit());
  #size = '';
  #factor = 1;
  #enlarging;
  #closely;

  /**
   * @param {HTMLElement} trial with elements `.scaled` to be sized in a `.ground`, and scales of options
   * @param {"pick" | "judgment" | "form"} way how it is answered
   * @param {Enlarging | null} [enlarging] shows enlarged images interpolated; without it, their pixels become squares
   * @param {Closely | null} [closely] shows images closer than fitted
   */
  constructor(trial, way, enlarging = null, closely = null) {
    this.#enlarging = enlarging;
    this.#closely = closely;
    this.#trial = trial;
    this.#ground = /** @type {HTMLElement | null} */ (trial.querySelector('.ground'));
    this.#way = way;
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
    const pictures = this.#pictures();
    // Images to put in order need more room than a low form has.
    const ranks = this.#trial.querySelector('[data-form="ranking"]') !== null;
    const without = clientWidth < LAYOUT.wide ? 'beside' : ranks ? 'low' : null;
    const places = PLACES[this.#way] ?? [];
    const preference = this.#way === 'form' ? LAYOUT.preference : LAYOUT.slight;
    const found = places
      .filter((place) => place !== without)
      .map((place) => {
        this.#stand(place);
        const arrangement = arranged(pictures, this.#room(), ratio);
        return { place, arrangement, worth: arrangement.fits && this.#showsQuestions() ? arrangement.scale : 0 };
      });
    const best = found.reduce((best, one) => (one.worth > best.worth * preference ? one : best));
    this.#stand(best.place);
    const scale = this.#arrange(best.arrangement, ratio);
    this.#factor = scale * ratio;
    this.#trial.dataset['drawn'] = this.#factor > 1 ? 'enlarged' : 'whole';
    this.#trial.dataset['scale'] = String(this.scale.factor);
    // The product of a whole number and the ratio may differ from it by a rounding error.
    this.#enlarging?.show(this.#factor > 1 ? Math.round(this.#factor) : 1);
    this.#closely?.fitted(this.#factor);
  }

  /** Puts the questions at a place. @param {Place} place */
  #stand(place) {
    this.#trial.dataset['place'] = place;
    alignScales(this.#trial);
  }

  /** Whether questions that a single press answers are in sight. Forms are scrolled, and say so. */
  #showsQuestions() {
    const boxes = [this.#trial, ...this.#trial.querySelectorAll('.asking')];
    return this.#way === 'form' || boxes.every((box) => box.scrollHeight <= box.clientHeight);
  }

  /** The room of the images. */
  #room() {
    if (this.#ground === null) return { width: 0, height: 0 };
    const { paddingLeft, paddingRight, paddingTop, paddingBottom } = getComputedStyle(this.#ground);
    return {
      width: this.#ground.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight),
      height: this.#ground.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom),
    };
  }

  /** The images of the trial. @returns {Pictures} */
  #pictures() {
    const of = (/** @type {string} */ where) => {
      const figures = [...this.#trial.querySelectorAll(where)].filter((figure) => figure.querySelector('.scaled'));
      const sizes = figures.map((figure) => {
        const image = figure.querySelector('.scaled');
        return { width: Number(image?.getAttribute('width')), height: Number(image?.getAttribute('height')) };
      });
      return { figures, sizes };
    };
    const judged = of('.picture, .stimulus');
    const conditions = of('.row .condition');
    const sources = of('.row .condition.source');
    const caption = (/** @type {Element[]} */ figures) => Math.max(0, ...figures.map(captionHeight));
    return {
      judged: judged.sizes,
      sources: sources.sizes,
      others: of('.row .condition:not(.source)').sizes,
      captions: { judged: caption(judged.figures), conditions: caption(conditions.figures) },
    };
  }

  /**
   * Arranges the images. They become smaller than planned where captions take more lines than at first.
   * @param {Arrangement} arrangement
   * @param {number} ratio
   * @returns {number} the scale
   */
  #arrange({ place, columns, scale, share }, ratio) {
    const { style, dataset } = this.#trial;
    dataset['conditions'] = place;
    style.setProperty('--columns', String(columns));
    style.setProperty('--share', String(share));
    const fits = (/** @type {number} */ scale) => {
      style.setProperty('--scale', String(scale));
      const ground = this.#ground;
      return (
        ground === null || (ground.scrollWidth <= ground.clientWidth && ground.scrollHeight <= ground.clientHeight)
      );
    };
    if (fits(scale)) return scale;
    const { least } = rangeOf(this.#pictures().judged, ratio);
    const smaller = largestScale({ least, whole: Math.max(1, Math.floor(scale * ratio)) }, ratio, fits);
    fits(smaller);
    return smaller;
  }
}

/** The height of what stands below an image. @param {Element} figure */
function captionHeight(figure) {
  const below = [...figure.querySelectorAll(':scope > :is(figcaption, .caption, .switch)')];
  const gap = parseFloat(getComputedStyle(figure).rowGap) || 0;
  return below.reduce((height, one) => height + one.getBoundingClientRect().height + gap, 0);
}
