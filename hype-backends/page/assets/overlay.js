// A region drawn over its image: the bright part of the mask is tinted, and a switch hides it.

import { h } from './dom.js';

/**
 * @import { Language } from "./i18n.js"
 */

/** Red, green and blue of the tint, and its strength where the mask is white. */
const TINT = /** @type {const} */ ([255, 0, 170]);
const STRENGTH = 0.55;

/**
 * @param {HTMLImageElement} source
 * @param {HTMLImageElement} mask
 * @param {Language} language
 * @returns {{ overlay: HTMLElement, control: HTMLElement }}
 */
export function overlayView(source, mask, language) {
  const canvas = h('canvas', { class: 'region', 'aria-hidden': 'true' });
  // Both images were decoded, but their copies in these elements have to be decoded again before they can be drawn.
  mask.decode().then(
    () => tint(canvas, mask),
    () => canvas.remove(),
  );
  const shown = h('input', { type: 'checkbox', onchange: () => (canvas.hidden = !shown.checked) });
  shown.checked = true;
  return {
    overlay: h('div', { class: 'overlay' }, source, canvas),
    control: h('label', { class: 'switch' }, shown, language.text('condition.region')),
  };
}

/**
 * Fills a canvas with the tint, with the mask's brightness as opacity.
 * @param {HTMLCanvasElement} canvas
 * @param {HTMLImageElement} mask
 */
function tint(canvas, mask) {
  canvas.width = mask.naturalWidth;
  canvas.height = mask.naturalHeight;
  const context = canvas.getContext('2d');
  if (context === null || canvas.width === 0 || canvas.height === 0) return;
  context.drawImage(mask, 0, 0);
  const pixels = context.getImageData(0, 0, canvas.width, canvas.height);
  const { data } = pixels;
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue, alpha] = data.subarray(at, at + 4);
    const light = 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
    data.set(TINT, at);
    data[at + 3] = Math.round(light * STRENGTH * ((alpha ?? 0) / 255));
  }
  context.putImageData(pixels, 0, 0);
}
