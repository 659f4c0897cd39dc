/** Measures the refresh interval of the screen and the resolution of the page's clock. */

/** The number of differences between animation frames in one measurement. */
const DELTAS = 60;

/** The spread above which a measurement is repeated. */
export const WIDEST_SPREAD = 0.05;

const ATTEMPTS = 5;

/**
 * @typedef {object} Calibration
 * @property {number} frame_us the refresh interval
 * @property {number} frame_spread mean absolute difference from the median, as a share of the median
 * @property {number} grain_us the smallest observed step of the clock
 * @property {number} refresh_hz
 */

/**
 * The refresh interval from the timestamps of successive frames, in milliseconds.
 *
 * The median gives the number of intervals in each difference; the total span over that number is the interval. The median
 * alone may be off by one step of the clock, which at 0.1 ms would cost a frame every three seconds.
 * @param {readonly number[]} timestamps at least two, ascending, ms
 * @returns {{ frameMs: number, spread: number }}
 */
export function interval(timestamps) {
  const deltas = timestamps.slice(1).map((timestamp, index) => timestamp - (timestamps[index] ?? NaN));
  const sorted = deltas.toSorted((a, b) => a - b);
  const middle = sorted[sorted.length >> 1] ?? NaN;
  const median = sorted.length % 2 === 1 ? middle : (middle + (sorted[(sorted.length >> 1) - 1] ?? NaN)) / 2;
  const frames = deltas.reduce((sum, delta) => sum + Math.round(delta / median), 0);
  const span = (timestamps.at(-1) ?? NaN) - (timestamps[0] ?? NaN);
  const spread = deltas.reduce((sum, delta) => sum + Math.abs(delta - median), 0) / deltas.length / median;
  return { frameMs: span / frames, spread };
}

/**
 * The smallest step between readings of a clock, in milliseconds. Reads until the clock has moved at least once.
 * @param {() => number} clock
 * @param {number} steps to see
 * @param {number} limit ms by the clock after which fewer steps must do
 */
export function grain(clock, steps, limit) {
  const begin = clock();
  let last = begin;
  let smallest = NaN;
  for (let seen = 0; seen < steps && last - begin < limit;) {
    const now = clock();
    if (now > last) {
      smallest = Number.isNaN(smallest) ? now - last : Math.min(smallest, now - last);
      last = now;
      seen += 1;
    }
  }
  return smallest;
}

/** @returns {Promise<number[]>} the timestamps of `DELTAS + 1` successive frames */
function frames() {
  return new Promise((resolve) => {
    /** @type {number[]} */
    const timestamps = [];
    /** @param {number} timestamp */
    const tick = (timestamp) => {
      if (timestamp > (timestamps.at(-1) ?? -Infinity)) {
        timestamps.push(timestamp);
      }
      if (timestamps.length > DELTAS) {
        resolve(timestamps);
      } else {
        requestAnimationFrame(tick);
      }
    };
    requestAnimationFrame(tick);
  });
}

/**
 * Measures the refresh interval and the clock's resolution. Takes about a second at 60 Hz, and up to five on an unsteady
 * screen: the measurement with the least spread is returned, with its spread. Waits while the tab is hidden.
 * @returns {Promise<Calibration>}
 */
export async function calibrate() {
  const step = grain(() => performance.now(), 50, 40);
  let best = interval(await frames());
  for (let attempt = 1; attempt < ATTEMPTS && best.spread > WIDEST_SPREAD; attempt += 1) {
    const again = interval(await frames());
    if (again.spread < best.spread) {
      best = again;
    }
  }
  return {
    frame_us: Math.round(best.frameMs * 1000),
    frame_spread: best.spread,
    grain_us: Math.max(1, Math.round(step * 1000)),
    refresh_hz: 1000 / best.frameMs,
  };
}
