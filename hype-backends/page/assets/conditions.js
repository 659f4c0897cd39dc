// Conditions of the item, such as its prompt, shown next to the images until the answer.

import { h } from './dom.js';
import { scaled } from './fit.js';
import { overlayView } from './overlay.js';

/**
 * @import { ConditionPart, ScreenPart } from "../page.js"
 * @import { Images } from "./images.js"
 * @import { Language } from "./i18n.js"
 */

/**
 * The conditions among the parts. A region to edit is drawn over its source if the trial has both.
 * @param {readonly ScreenPart[]} parts
 * @param {Images} images
 * @param {Language} language
 * @returns {{ texts: HTMLElement | null, pictures: HTMLElement | null }} `null` where the trial has none
 */
export function conditionsView(parts, images, language) {
  const conditions = parts.filter((part) => part.part === 'condition');
  const isOfTexts = parts.some(showsTexts);
  const titleOf = (/** @type {ConditionPart} */ condition) => title(condition, language, isOfTexts);
  const source = conditions.find((one) => one.kind === 'source' && one.image !== null && !one.clip);
  const mask = conditions.find((one) => one.kind === 'mask' && one.image !== null);
  const texts = conditions.flatMap((condition) => {
    if (condition.text === null) return [];
    return [
      figure(
        condition,
        titleOf(condition),
        h('p', { class: 'condition-text', dir: 'auto', translate: 'no' }, condition.text),
      ),
    ];
  });
  const pictures = conditions.flatMap((condition) => {
    if (condition.image === null || (condition === mask && source !== undefined)) return [];
    if (condition.clip) {
      const clip = images.clip(condition.image, titleOf(condition));
      return [figure(condition, titleOf(condition), scaled(clip, condition.clip))];
    }
    const image = images.scaled(condition.image, titleOf(condition));
    if (condition !== source || !mask?.image) return [figure(condition, titleOf(condition), image)];
    const { overlay, control } = overlayView(image, images.element(mask.image, ''), language);
    return [figure(condition, titleOf(condition), overlay, control)];
  });
  const section = (/** @type {string} */ what, /** @type {string} */ name, /** @type {HTMLElement[]} */ views) =>
    views.length === 0 ? null : h('section', { class: `conditions ${what}`, 'aria-label': language.text(name) }, views);
  return {
    texts: section('texts', 'condition.texts', texts),
    pictures: section('pictures', 'condition.pictures', pictures),
  };
}

/** Whether a part shows texts to judge. @param {ScreenPart} part */
function showsTexts(part) {
  if (part.part === 'image') return part.media === 'text';
  return part.part === 'gallery' && part.images.some(({ media }) => media === 'text');
}

/**
 * A prompt describes an image or a clip, and asks for a text; a source is an image or a clip.
 * @param {ConditionPart} condition
 * @param {Language} language
 * @param {boolean} isOfTexts whether texts are judged
 */
function title(condition, language, isOfTexts) {
  const asked = isOfTexts && condition.kind === 'prompt' ? 'condition.request' : `condition.${condition.kind}`;
  const kind = language.text(condition.clip ? 'condition.clip' : asked);
  return condition.label === null ? kind : `${kind}: ${condition.label}`;
}

/** @param {ConditionPart} condition @param {string} named @param {HTMLElement} content @param {HTMLElement | null} [control] */
function figure(condition, named, content, control = null) {
  const caption = h('figcaption', { dir: 'auto' }, named);
  // Captions of images stand below them, at the height of those of the judged ones, and that of a text above it.
  const parts = condition.image === null ? [caption, content] : [content, caption, control];
  return h('figure', { class: `condition ${condition.kind}` }, parts);
}
