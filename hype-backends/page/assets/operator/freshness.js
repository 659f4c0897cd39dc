// How old what is shown is, in words.

import { lasting } from '../figures.js';

/** From this time on the page says that the server is not reached. */
export const LATE_S = 30;

/**
 * @typedef {object} Contact
 * @property {boolean} isReached whether the server was ever reached
 * @property {number} at when it was reached last, or when the page began, in milliseconds
 */

/**
 * Whether the page is up to date, and what it says of that.
 * @param {Contact} contact
 * @param {number} now in milliseconds
 * @returns {{ isLost: boolean, text: string }}
 */
export function freshness({ isReached, at }, now) {
  const seconds = Math.max(0, Math.round((now - at) / 1_000));
  return { isLost: seconds >= LATE_S, text: isReached ? `updated ${lasting(seconds)} ago` : 'connecting' };
}

/**
 * The age of the estimates.
 * @param {number | null} age_us when the state was computed
 * @param {number} received when the state came, in milliseconds
 * @param {number} now in milliseconds
 */
export function estimatesAge(age_us, received, now) {
  if (age_us === null) return 'no estimates yet';
  const seconds = Math.max(0, Math.round(age_us / 1e6 + (now - received) / 1_000));
  return `as of ${lasting(seconds)} ago`;
}
