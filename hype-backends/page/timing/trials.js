/** The trials that every page of the comparison shows. */

import { plannedFrames } from '../assets/planner.js';

/** @typedef {import("./png.js").Colour} Colour */

/**
 * @typedef {object} Trial
 * @property {string} stimulus its image's name
 * @property {number} exposureMs
 * @property {string[]} masks
 * @property {number} maskMs
 */

/** Whole frames at 60 Hz: no rule of rounding is favoured. */
const EXPOSURES_MS = [100, 200, 300, 400, 500];
const MASKS = 5;
const MASK_MS = 30;

/**
 * A generator of numbers from 0 to 1: Steele, Lea and Flood's SplitMix with 32 bits.
 * @param {number} seed
 * @returns {() => number}
 */
export function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return ((z ^ (z >>> 16)) >>> 0) / 2 ** 32;
  };
}

/**
 * @param {number} count
 * @param {number} seed
 * @returns {Trial[]} each with distinct images: the screen identifies the trial
 */
export function trials(count, seed) {
  const random = generator(seed);
  return Array.from({ length: count }, (_, trial) => ({
    stimulus: `s${trial}`,
    exposureMs: EXPOSURES_MS[Math.floor(random() * EXPOSURES_MS.length)] ?? 100,
    masks: Array.from({ length: MASKS }, (__, mask) => `m${trial}.${mask}`),
    maskMs: MASK_MS,
  }));
}

/** @param {Trial} trial */
export const images = (trial) => [trial.stimulus, ...trial.masks];

/** The colour of the surround. */
export const GREY = /** @type {Colour} */ ([128, 128, 128]);

/**
 * The colour that identifies an image, far from grey: red encodes the image within the trial, green and blue the
 * trial.
 * @param {string} name
 * @returns {Colour}
 */
export function colour(name) {
  const found = /^(?:s(\d+)|m(\d+)\.(\d+))$/.exec(name);
  if (found === null) throw new RangeError(`unknown image: ${name}`);
  const trial = Number(found[1] ?? found[2]);
  const image = found[3] === undefined ? 0 : Number(found[3]) + 1;
  return [224 - image * 12, 16 + (trial % 12) * 6, 16 + Math.floor(trial / 12) * 6];
}

/**
 * The content of the screen when a pixel has this colour.
 * @param {Colour} seen
 * @param {readonly Trial[]} shown
 * @returns {string | null} the name of an image, `""` for the surround, `null` for anything else
 */
export function named(seen, shown) {
  if (near(seen, GREY)) return '';
  for (const trial of shown) {
    for (const name of images(trial)) {
      if (near(seen, colour(name))) return name;
    }
  }
  return null;
}

/**
 * Whether two colours are the same up to rounding.
 * @param {Colour} seen
 * @param {Colour} wanted
 */
export const near = (seen, wanted) => wanted.every((value, channel) => Math.abs(value - (seen[channel] ?? NaN)) <= 2);

/**
 * The content of a perfect screen.
 * @param {Trial} trial
 * @param {number} frameUs
 * @returns {import("./judge.js").Expected}
 */
export function expected(trial, frameUs) {
  const frames = plannedFrames(trial.maskMs, frameUs);
  return {
    stimulus: { name: trial.stimulus, frames: plannedFrames(trial.exposureMs, frameUs) },
    masks: trial.masks.map((name) => ({ name, frames })),
  };
}
