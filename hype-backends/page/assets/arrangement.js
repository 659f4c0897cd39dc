// Where the images of a trial stand: the judged ones in columns, and those of conditions at their side or above them.
// `layout/arrangement.rs` has the same rules. Nothing here knows the document.

import { LAYOUT } from './layout.js';

/** How often an interval of scales is halved. */
const HALVINGS = 14;

/** A width and a height. @typedef {{ width: number, height: number }} Size */

/**
 * Images that are shown at once, with the heights of captions.
 * @typedef {object} Pictures
 * @property {readonly Size[]} judged
 * @property {readonly Size[]} sources which judged images are compared with, and which therefore have their scale
 * @property {readonly Size[]} others images of other conditions, which may be smaller
 * @property {{ judged: number, conditions: number }} captions
 */

/**
 * How large images are shown, in CSS pixels for each pixel of an image.
 * @typedef {object} Range
 * @property {number} least
 * @property {number} whole the largest number of device pixels for each pixel of an image, at least 1
 */

/**
 * An arrangement: where images of conditions stand, in how many columns the judged ones, and at what scale. Other conditions
 * than sources have a share of the scale. It may be too large even at the least scale.
 * @typedef {{ place: "line" | "column" | "above", columns: number, scale: number, share: number, fits: boolean }} Arrangement
 */

/** Where images of conditions stand, the preferred place first. */
const PLACES = /** @type {const} */ (['line', 'column', 'above']);

/**
 * The range for images of these sizes.
 * @param {readonly Size[]} images
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
 * The arrangement in which the judged images are largest.
 * @param {Pictures} pictures
 * @param {Size} room
 * @param {number} ratio device pixels for each CSS pixel
 * @returns {Arrangement}
 */
export function arranged(pictures, room, ratio) {
  const whole = largest(pictures, room, ratio, 1);
  if (pictures.others.length === 0) return whole;
  const lesser = largest(pictures, room, ratio, LAYOUT.lesser);
  return lesser.scale > whole.scale * LAYOUT.preference ? lesser : whole;
}

/**
 * The same with other conditions at a share of the scale. They are made smaller only where nothing is enlarged.
 * @param {Pictures} pictures
 * @param {Size} room
 * @param {number} ratio
 * @param {number} share
 * @returns {Arrangement}
 */
function largest(pictures, room, ratio, share) {
  const { least, whole } = rangeOf([...pictures.judged, ...pictures.sources], ratio);
  const range = { least, whole: share < 1 ? 1 : whole };
  const columns = columnsOf(pictures.judged.length);
  const fitting = (/** @type {number} */ scale) => {
    for (const count of columns) {
      for (const place of PLACES) {
        const { width, height } = extent(pictures, scale, share, place, count);
        if (width <= room.width && height <= room.height) return { place, columns: count };
      }
    }
    return null;
  };
  const scale = largestScale(range, ratio, (scale) => fitting(scale) !== null);
  const found = fitting(scale);
  return { ...(found ?? { place: 'line', columns: columns[0] ?? 1 }), scale, share, fits: found !== null };
}

/**
 * The numbers of columns in which images may stand, the preferred one first. Few images never leave a gap, which would set
 * one of them apart.
 * @param {number} images
 * @returns {number[]}
 */
export function columnsOf(images) {
  const all = Array.from({ length: Math.max(1, images) }, (_, less) => Math.max(1, images) - less);
  return all.filter((columns) => images > 4 || images % columns === 0);
}

/**
 * The width and height of all images.
 * @param {Pictures} pictures
 * @param {number} scale
 * @param {number} share
 * @param {Arrangement["place"]} place
 * @param {number} columns
 * @returns {Size}
 */
function extent({ judged, sources, others, captions }, scale, share, place, columns) {
  const figure = (/** @type {Size} */ image, /** @type {number} */ scale, /** @type {number} */ caption) => ({
    width: Math.max(image.width * scale, LAYOUT.figure) + LAYOUT.frame,
    height: image.height * scale + LAYOUT.frame + caption,
  });
  const cell = most(judged.map((image) => figure(image, scale, captions.judged)));
  const grid = {
    width: along(columns, cell.width),
    height: along(Math.ceil(judged.length / columns), cell.height),
  };
  const conditions = [
    ...sources.map((image) => figure(image, scale, captions.conditions)),
    ...others.map((image) => figure(image, scale * share, captions.conditions)),
  ];
  if (conditions.length === 0) return grid;
  const { width, height } = most(conditions);
  const gaps = LAYOUT.space * (conditions.length - 1);
  const sum = (/** @type {"width" | "height"} */ side) => conditions.reduce((all, one) => all + one[side], gaps);
  const beside = place === 'column' ? { width, height: sum('height') } : { width: sum('width'), height };
  if (place === 'above') {
    return { width: Math.max(grid.width, beside.width), height: grid.height + LAYOUT.space + beside.height };
  }
  return { width: grid.width + LAYOUT.space + beside.width, height: Math.max(grid.height, beside.height) };
}

/** The length of equal cells with the gaps between them. @param {number} cells @param {number} cell */
const along = (cells, cell) => cell * cells + LAYOUT.space * Math.max(0, cells - 1);

/** @param {readonly Size[]} sizes @returns {Size} the greatest width and height */
function most(sizes) {
  return {
    width: Math.max(0, ...sizes.map(({ width }) => width)),
    height: Math.max(0, ...sizes.map(({ height }) => height)),
  };
}
