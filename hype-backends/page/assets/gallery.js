// Images without a time limit: one, or several side by side, which run from left to right in every language.

import { h } from './dom.js';

/**
 * @import { GalleryPart, ImagePart, ScreenPart } from "../page.js"
 * @import { Images } from "./images.js"
 * @import { Language } from "./i18n.js"
 */

/**
 * @param {ImagePart} part
 * @param {"alone" | "among others"} where among others it has a caption
 * @param {Images} images
 * @param {Language} language
 * @returns {HTMLElement}
 */
export function imageView(part, where, images, language) {
  const name = language.text('image.alone');
  const caption = where === 'among others' && h('figcaption', { dir: 'auto', 'aria-hidden': 'true' }, name);
  return h('figure', { class: 'stimulus' }, images.scaled(part.image, name), caption);
}

/**
 * @param {GalleryPart} part
 * @param {Images} images
 * @param {Language} language
 * @returns {HTMLElement}
 */
export function galleryView(part, images, language) {
  const figures = part.images.map((shown) => {
    const name = language.text('image.named', { label: shown.label });
    return h(
      'figure',
      { class: 'picture' },
      images.scaled(shown.image, name),
      h('figcaption', { class: 'caption', dir: 'auto', 'aria-hidden': 'true' }, name),
    );
  });
  // The sides are part of the design: they are drawn at random and stored.
  return h('div', { class: 'gallery', dir: 'ltr' }, figures);
}

/**
 * All images in the parts.
 * @param {readonly ScreenPart[]} parts
 * @returns {string[]}
 */
export function tokensOf(parts) {
  return parts.flatMap((part) => {
    switch (part.part) {
      case 'image':
        return [part.image];
      case 'gallery':
        return part.images.map((shown) => shown.image);
      case 'condition':
        return part.image === null ? [] : [part.image];
      case 'masks':
        return part.images;
      default:
        return [];
    }
  });
}
