// Small images for the mock study: landscapes, masks and drawings, as PNG files of one length.

import * as png from '../../timing/png.js';

/** @import { Size } from "./study.js" */

/** @typedef {"picture" | "noise" | "region" | "edges"} Look */

/** The length that every image is padded to, in bytes. */
export const LENGTH = 96 * 1024;

/** Images of more pixels than this are drawn once for each look and size. */
const LARGE = 256 * 256;

/** @type {Map<string, Buffer>} */
const drawn = new Map();

/** @param {number} seed @returns {() => number} uniform in [0, 1); mulberry32 */
export function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * An image of a kind; each seed gives a different one, unless the image is large.
 * @param {Look} look
 * @param {number} seed
 * @param {Size} size
 * @returns {Buffer}
 */
export function draw(look, seed, { width, height }) {
  if (width * height <= LARGE) return paint(look, seed, width, height, LENGTH);
  const name = `${look} ${width} ${height}`;
  const found = drawn.get(name) ?? paint(look, 7, width, height, width * height);
  drawn.set(name, found);
  return found;
}

/** @param {Look} look @param {number} seed @param {number} width @param {number} height @param {number} length bytes */
function paint(look, seed, width, height, length) {
  const size = Math.max(width, height);
  const encode = (/** @type {import("../../timing/png.js").Painter} */ painter) =>
    png.encode(width, height, painter, length);
  const random = generator(seed);
  const [one, two, three, four] = [random(), random(), random(), random()];
  const hills = Float64Array.from({ length: width }, (_, x) => {
    const share = x / size;
    return size * (0.55 + 0.12 * Math.sin(share * (3 + 5 * one) + 6 * two) + 0.05 * Math.sin(share * 17 * three));
  });
  if (look === 'noise') {
    const cells = Array.from({ length: 40 * 40 }, () => Math.floor(random() * 6) * 40);
    return encode((x, y) => {
      const at = Math.floor((y * 40) / size) * 40 + Math.floor((x * 40) / size);
      return [cells[at] ?? 0, cells[(at + 531) % 1600] ?? 0, cells[(at + 977) % 1600] ?? 0];
    });
  }
  if (look === 'region') {
    return encode((x, y) => {
      const inside = ((x / size - 0.3 - 0.4 * one) / 0.2) ** 2 + ((y / size - 0.3) / 0.18) ** 2 < 1;
      return inside ? [255, 255, 255] : [0, 0, 0];
    });
  }
  if (look === 'edges') {
    return encode((x, y) => (Math.abs(y - (hills[x] ?? 0)) < 2 ? [255, 255, 255] : [0, 0, 0]));
  }
  const [sunX, sunY, radius] = [size * (0.2 + 0.6 * three), size * (0.15 + 0.2 * four), size * 0.08];
  return encode((x, y) => {
    const below = y - (hills[x] ?? 0);
    if (below > 0) {
      const shade = 1 - (0.6 * below) / size;
      return [(60 + 80 * one) * shade, (110 + 60 * two) * shade, (50 + 40 * three) * shade];
    }
    if (Math.hypot(x - sunX, y - sunY) < radius) return [255, 236, 180];
    const height = y / size;
    return [110 + 110 * height + 30 * four, 150 + 70 * height, 210 + 20 * two];
  });
}
