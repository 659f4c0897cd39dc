// A plate of coloured dots.

import { h } from './dom.js';

/**
 * @import { PlatePart } from "../page.js"
 * @import { Language } from "./i18n.js"
 */

/** The side of a plate, in the unit of its dots. */
const SIDE = 10_000;

/** The side of the drawing in pixels, which is more than any plate has on the screen. */
const PIXELS = 1_200;

/**
 * @param {PlatePart} plate
 * @param {Language} language
 * @returns {HTMLElement}
 */
export function plateView({ dots }, language) {
  const canvas = h('canvas', {
    class: 'plate',
    width: PIXELS,
    height: PIXELS,
    role: 'img',
    'aria-label': language.text('plate.label'),
  });
  const drawing = canvas.getContext('2d');
  if (drawing === null) throw new Error('this browser cannot draw');
  drawing.fillStyle = '#fff';
  drawing.fillRect(0, 0, PIXELS, PIXELS);
  const scale = PIXELS / SIDE;
  for (const { x, y, radius, colour } of dots) {
    drawing.fillStyle = `rgb(${colour.join(' ')})`;
    drawing.beginPath();
    drawing.arc(x * scale, y * scale, radius * scale, 0, 2 * Math.PI);
    drawing.fill();
  }
  return canvas;
}
