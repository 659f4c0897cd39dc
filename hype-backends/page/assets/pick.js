// A choice of one image, from a pair or a grid. The images are the buttons; options such as ties are below.

import { h, keycap } from './dom.js';
import { stimulusName, stimulusView } from './gallery.js';
import { mark, optionButton } from './judgment.js';
import { assignKeys } from './keys.js';

/**
 * @import { GalleryPart, ChoiceOption, ScreenQuestion } from "../page.js"
 * @import { Field } from "./choice.js"
 * @import { Images } from "./images.js"
 * @import { Language } from "./i18n.js"
 */

/**
 * Whether a choice names every image or clip of a gallery. Texts are read, not pressed.
 * @param {GalleryPart} gallery
 * @param {readonly ChoiceOption[]} options
 * @returns {boolean}
 */
export function picksImages(gallery, options) {
  return gallery.images.every(
    ({ label, media }) => media !== 'text' && options.some((option) => option.value === label),
  );
}

/**
 * @param {ScreenQuestion} question
 * @param {readonly ChoiceOption[]} options
 * @param {GalleryPart} gallery
 * @param {Images} images
 * @param {Language} language
 * @param {(value: string, when: number) => void} answer
 * @returns {Field}
 */
export function pickField(question, options, gallery, images, language, answer) {
  const keys = assignKeys(options);
  const keyFor = (/** @type {string} */ value) => keys[options.findIndex((option) => option.value === value)] ?? null;
  const pictures = gallery.images.map((shown) => {
    const key = keyFor(shown.label);
    return h(
      'button',
      {
        type: 'button',
        class: 'picture',
        'data-value': shown.label,
        'aria-keyshortcuts': key,
        onclick: (/** @type {MouseEvent} */ event) => answer(shown.label, event.timeStamp),
      },
      stimulusView(shown, '', images),
      h(
        'span',
        { class: 'caption' },
        h('span', { dir: 'auto' }, stimulusName(shown, shown.label, language)),
        key !== null && keycap(key),
      ),
    );
  });
  const labels = new Set(gallery.images.map((image) => image.label));
  const others = options.filter((option) => !labels.has(option.value));
  const buttons = others.map((one) => optionButton(one, keyFor(one.value), answer));
  const element = h(
    'div',
    { 'data-form': 'pick', 'data-question': question.id, class: 'pick' },
    h('div', { class: 'ground' }, h('div', { class: 'row' }, h('div', { class: 'gallery', dir: 'ltr' }, pictures))),
    buttons.length > 0 && h('div', { class: 'buttons scale' }, buttons),
  );
  return {
    element,
    value: () => null,
    restore: (value) => mark([...pictures, ...buttons], value),
    press(key, when) {
      const option = options[keys.indexOf(key)];
      if (option !== undefined) answer(option.value, when);
      return option !== undefined;
    },
    focus: () => pictures[0]?.focus(),
  };
}
