// The copies of images that are shown enlarged and interpolated, on canvases over the images, which stay in the document.

import { h } from './dom.js';
import { enlarged } from './lanczos.js';

/**
 * @import { Enlargement } from "../page.js"
 * @import { Images } from "./images.js"
 */

/** The side of the pattern by which it is found whether a canvas tells its pixels. */
const SIDE = 16;

/** @type {Enlargement | null} */
let able = null;

/**
 * How this browser enlarges images. Some browsers tell pages other pixels than those that were drawn, and pages cannot
 * recognise a device by them; there pixels stay squares.
 * @param {Enlargement} wanted
 * @returns {Enlargement}
 */
export function enlargement(wanted) {
  if (wanted === 'nearest') return wanted;
  able ??= tellsPixels() ? 'lanczos' : 'nearest';
  return able;
}

function tellsPixels() {
  const context = readable(SIDE, SIDE);
  const drawn = context.createImageData(SIDE, SIDE);
  for (let at = 0; at < drawn.data.length; at += 1) drawn.data[at] = at % 4 === 3 ? 255 : (at * 89) % 256;
  context.putImageData(drawn, 0, 0);
  const read = context.getImageData(0, 0, SIDE, SIDE).data;
  return drawn.data.every((value, at) => value === read[at]);
}

/** A canvas whose pixels can be read. @param {number} width @param {number} height */
function readable(width, height) {
  const context = h('canvas', { width, height }).getContext('2d', { alpha: false, willReadFrequently: true });
  if (context === null) throw new Error('the browser has no canvas to enlarge images on');
  return context;
}

/**
 * The pixels of an image, enlarged.
 * @param {HTMLImageElement} image decoded
 * @param {number} factor device pixels for each pixel of the image, a whole number
 * @returns {ImageData}
 */
export function enlargedPixels(image, factor) {
  const { naturalWidth: width, naturalHeight: height } = image;
  const context = readable(width, height);
  context.drawImage(image, 0, 0);
  const found = enlarged(context.getImageData(0, 0, width, height), factor);
  return new ImageData(found.data, found.width, found.height);
}

/** An image that can be covered by an enlarged copy. */
class Covered {
  #factor = 1;

  /** @param {HTMLImageElement} image in the document */
  constructor(image) {
    this.image = image;
    this.frame = h('span', { class: 'enlarging' });
    image.replaceWith(this.frame);
    this.frame.append(image);
  }

  /** @param {number} factor @param {Images} images */
  show(factor, images) {
    if (factor === this.#factor) return;
    this.#factor = factor;
    if (factor <= 1) return this.frame.replaceChildren(this.image);
    const pixels = images.enlarged(this.image, factor);
    const { width, height } = pixels;
    const canvas = h('canvas', { width, height, class: 'enlarged', 'aria-hidden': 'true' });
    canvas.getContext('2d', { alpha: false })?.putImageData(pixels, 0, 0);
    this.frame.replaceChildren(this.image, canvas);
  }
}

/** Shows the images of a trial enlarged by a Lanczos kernel. */
export class Enlarging {
  #covered;
  #images;

  /** @param {HTMLElement} trial with elements `img.scaled` @param {Images} images where they come from */
  constructor(trial, images) {
    this.#images = images;
    this.#covered = [...trial.querySelectorAll('img')]
      .filter((image) => image.classList.contains('scaled'))
      .map((image) => new Covered(image));
  }

  /** @param {number} factor device pixels for each pixel of an image; up to 1 the images themselves are shown */
  show(factor) {
    for (const one of this.#covered) one.show(factor, this.#images);
  }
}
