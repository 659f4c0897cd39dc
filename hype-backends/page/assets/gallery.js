// Images and clips without a time limit: one, or several side by side, which run from left to right in every language.

import { h } from './dom.js';
import { scaled } from './fit.js';

/**
 * @import { GalleryPart, ImagePart, Media, ScreenPart } from "../page.js"
 * @import { Images } from "./images.js"
 * @import { Language } from "./i18n.js"
 */

/** The file of a stimulus. @typedef {{ image: string, width: number, height: number, media?: Media | null }} Stimulus */

/** What a stimulus is called that stands alone, and one with a label. */
const NAMES = {
  image: { alone: 'image.alone', named: 'image.named' },
  video: { alone: 'clip.alone', named: 'clip.named' },
  text: { alone: 'text.alone', named: 'text.named' },
};

/**
 * The name of a stimulus.
 * @param {Stimulus} stimulus
 * @param {string | null} label `null` for one that stands alone
 * @param {Language} language
 */
export function stimulusName({ media }, label, language) {
  const { alone, named } = NAMES[media ?? 'image'];
  return label === null ? language.text(alone) : language.text(named, { label });
}

/**
 * The element of an image or a clip, which is scaled together with the others of its trial.
 * @param {Stimulus} stimulus
 * @param {string} name neutral text for raters who cannot see it
 * @param {Images} images
 */
export function stimulusView(stimulus, name, images) {
  return stimulus.media === 'video'
    ? scaled(images.clip(stimulus.image, name), stimulus)
    : images.scaled(stimulus.image, name);
}

/**
 * @param {ImagePart} part
 * @param {"alone" | "among others"} where among others it has a caption
 * @param {Images} images
 * @param {Language} language
 * @returns {HTMLElement}
 */
export function imageView(part, where, images, language) {
  const name = stimulusName(part, null, language);
  const caption = where === 'among others' && h('figcaption', { dir: 'auto', 'aria-hidden': 'true' }, name);
  return h('figure', { class: 'stimulus' }, stimulusView(part, name, images), caption);
}

/**
 * @param {GalleryPart} part
 * @param {Images} images
 * @param {Language} language
 * @returns {HTMLElement}
 */
export function galleryView(part, images, language) {
  const figures = part.images.map((shown) => {
    const name = stimulusName(shown, shown.label, language);
    return h(
      'figure',
      { class: 'picture' },
      stimulusView(shown, name, images),
      h('figcaption', { class: 'caption', dir: 'auto', 'aria-hidden': 'true' }, name),
    );
  });
  // The sides are part of the design: they are drawn at random and stored.
  return h('div', { class: 'gallery', dir: 'ltr' }, figures);
}

/**
 * The texts among the parts, in the order of their places.
 * @param {readonly ScreenPart[]} parts
 * @param {Language} language
 * @returns {{ token: string, name: string }[]}
 */
export function textsIn(parts, language) {
  return parts.flatMap((part) => {
    if (part.part === 'image') return part.media === 'text' ? [named(part, null, language)] : [];
    if (part.part !== 'gallery') return [];
    return part.images.filter(({ media }) => media === 'text').map((one) => named(one, one.label, language));
  });
}

/** @param {Stimulus} stimulus @param {string | null} label @param {Language} language */
const named = (stimulus, label, language) => ({ token: stimulus.image, name: stimulusName(stimulus, label, language) });

/**
 * The files of all stimuli in the parts.
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
