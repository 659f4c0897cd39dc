// Images enlarged by whole factors with a Lanczos kernel of three lobes, one axis after the other. It is applied to sRGB
// code values as they are, as by most viewers and by the common image libraries. Beyond its edges an image is mirrored.

/**
 * An opaque image, with red, green, blue and opacity for each pixel.
 * @typedef {{ width: number, height: number, data: Uint8ClampedArray<ArrayBuffer> }} Pixels
 */

/** The zero crossings of the kernel on each side. */
const LOBES = 3;

/** The number of pixels that each new one is computed from, along an axis. */
const TAPS = 2 * LOBES;

/** Channels of a pixel, and those of them that are computed. */
const CHANNELS = 4;
const COLOURS = 3;

/** @param {number} x distance in pixels */
function kernel(x) {
  if (x === 0) return 1;
  if (Math.abs(x) >= LOBES) return 0;
  const turn = Math.PI * x;
  return (LOBES * Math.sin(turn) * Math.sin(turn / LOBES)) / (turn * turn);
}

/**
 * The kernel as it is sampled by each of the pixels that an image's pixel becomes.
 * @param {number} factor
 * @returns {{ first: number, weights: number[] }[]} the place of the first image pixel, relative to the one that is
 *   enlarged, and the weights of it and those after it, which sum to 1
 */
export function phases(factor) {
  return Array.from({ length: factor }, (_, phase) => {
    const centre = (phase + 0.5) / factor - 0.5;
    const first = Math.floor(centre) - LOBES + 1;
    const weights = Array.from({ length: TAPS }, (_, tap) => kernel(first + tap - centre));
    const sum = weights.reduce((sum, weight) => sum + weight, 0);
    return { first, weights: weights.map((weight) => weight / sum) };
  });
}

/**
 * The index of a pixel, mirrored at the edges.
 * @param {number} index
 * @param {number} length
 */
function mirrored(index, length) {
  const folded = ((index % (2 * length)) + 2 * length) % (2 * length);
  return folded < length ? folded : 2 * length - 1 - folded;
}

/**
 * Where the values of each new pixel of a line come from.
 * @param {number} length of the line, in pixels
 * @param {number} factor
 * @returns {{ from: Int32Array, weights: Float64Array }} the image's pixels and their weights, `TAPS` for each new pixel
 */
function line(length, factor) {
  const from = new Int32Array(length * factor * TAPS);
  const weights = new Float64Array(from.length);
  const each = phases(factor);
  let at = 0;
  for (let pixel = 0; pixel < length; pixel += 1) {
    for (const phase of each) {
      for (let tap = 0; tap < TAPS; tap += 1, at += 1) {
        from[at] = mirrored(pixel + phase.first + tap, length);
        weights[at] = phase.weights[tap] ?? 0;
      }
    }
  }
  return { from, weights };
}

/**
 * Enlarges an image.
 * @param {Pixels} image
 * @param {number} factor a whole number, at least 1
 * @returns {Pixels}
 */
export function enlarged({ width, height, data }, factor) {
  const [across, down] = [line(width, factor), line(height, factor)];
  const [wide, tall] = [width * factor, height * factor];
  const rows = new Float32Array(wide * height * COLOURS);
  for (let y = 0, to = 0; y < height; y += 1) {
    for (let x = 0; x < wide; x += 1, to += COLOURS) {
      let [red, green, blue] = [0, 0, 0];
      for (let tap = x * TAPS; tap < (x + 1) * TAPS; tap += 1) {
        const at = (y * width + /** @type {number} */ (across.from[tap])) * CHANNELS;
        const weight = /** @type {number} */ (across.weights[tap]);
        red += weight * /** @type {number} */ (data[at]);
        green += weight * /** @type {number} */ (data[at + 1]);
        blue += weight * /** @type {number} */ (data[at + 2]);
      }
      rows[to] = red;
      rows[to + 1] = green;
      rows[to + 2] = blue;
    }
  }
  const found = new Uint8ClampedArray(wide * tall * CHANNELS).fill(255);
  for (let y = 0; y < tall; y += 1) {
    for (let x = 0; x < wide; x += 1) {
      let [red, green, blue] = [0, 0, 0];
      for (let tap = y * TAPS; tap < (y + 1) * TAPS; tap += 1) {
        const row = /** @type {number} */ (down.from[tap]);
        const at = (row * wide + x) * COLOURS;
        const weight = /** @type {number} */ (down.weights[tap]);
        red += weight * /** @type {number} */ (rows[at]);
        green += weight * /** @type {number} */ (rows[at + 1]);
        blue += weight * /** @type {number} */ (rows[at + 2]);
      }
      const to = (y * wide + x) * CHANNELS;
      found[to] = red;
      found[to + 1] = green;
      found[to + 2] = blue;
    }
  }
  return { width: wide, height: tall, data: found };
}
