// Lenses, through which images of a trial are seen, and copies of the source over images.

import { h } from './dom.js';

/** How much the shapes of an image and of its source may differ. */
const ALIKE = 0.01;

/**
 * Puts an image or a clip, with all that is drawn over it, behind a lens, which has the size of the whole image.
 * @param {HTMLImageElement | HTMLVideoElement} image
 */
export function lensOver(image) {
  // Images appear with the change that shows them, not a moment later.
  if (image instanceof HTMLImageElement) image.decoding = 'sync';
  const content = image.closest('.overlay, .enlarging') ?? image;
  const lens = h('span', { class: 'lens' });
  content.replaceWith(lens);
  content.classList.add('content');
  lens.append(content);
  return lens;
}

/** @param {HTMLElement} lens @returns {HTMLElement} the figure or the button of an image */
export function figureOf(lens) {
  const figure = lens.closest('figure, button');
  if (!(figure instanceof HTMLElement)) throw new Error('an image of a trial is in no figure');
  return figure;
}

/** Whether two images have the same shape. @param {Element} one @param {Element} other */
export function isAlike(one, other) {
  const shape = (/** @type {Element} */ image) =>
    Number(image.getAttribute('width')) / Number(image.getAttribute('height'));
  return Math.abs(shape(one) / shape(other) - 1) < ALIKE;
}

/** The name of an image or clip for raters who cannot see it; may be empty. @param {Element} image */
export const nameOf = (image) => image.getAttribute(image instanceof HTMLImageElement ? 'alt' : 'aria-label') ?? '';

/** The caption of an image, without keys. @param {HTMLElement} figure */
export function captionOf(figure) {
  return figure.querySelector('.caption > [dir]')?.textContent ?? '';
}

/**
 * A copy of the source over an image, which is shown up to the divider.
 * @param {HTMLElement} lens of the image
 * @param {HTMLImageElement} source
 */
export function coverOf(lens, source) {
  const image = /** @type {HTMLImageElement} */ (source.cloneNode());
  image.alt = '';
  image.classList.remove('scaled', 'content');
  const cover = h('span', { class: 'cover', 'aria-hidden': 'true' }, h('span', { class: 'content' }, image));
  lens.append(cover, h('span', { class: 'divider', 'aria-hidden': 'true' }));
  return cover;
}
