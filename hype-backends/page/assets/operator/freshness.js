// How old what is shown is, in words.

import { lasting } from '../figures.js';

/** From this time on the page says that the server was not reached. */
const LATE_S = 5;
/** With events, a server without news is heard every ten seconds. */
const LATE_EVENTS_S = 13;

/**
 * @typedef {object} Contact
 * @property {"events" | "polling" | "none"} how how the server was reached last
 * @property {number} at when, in milliseconds
 */

/**
 * Whether the page is up to date, and what it says of that.
 * @param {Contact} contact
 * @param {number} now in milliseconds
 * @returns {{ state: "waiting" | "live" | "polling" | "lost", text: string }}
 */
export function freshness({ how, at }, now) {
  const seconds = Math.max(0, Math.round((now - at) / 1_000));
  if (how === 'none') {
    return seconds < LATE_S
      ? { state: 'waiting', text: 'Connecting' }
      : { state: 'lost', text: `Not reached for ${lasting(seconds)}` };
  }
  const late = how === 'events' ? LATE_EVENTS_S : LATE_S;
  if (seconds >= late) return { state: 'lost', text: `Not reached for ${lasting(seconds)}` };
  return how === 'events' ? { state: 'live', text: 'Live' } : { state: 'polling', text: 'Asked every 2 s' };
}

/**
 * The age of the estimates.
 * @param {number | null} age_us when the state was computed
 * @param {number} received when the state came, in milliseconds
 * @param {number} now in milliseconds
 */
export function estimatesAge(age_us, received, now) {
  if (age_us === null) return 'No estimates yet';
  const seconds = Math.max(0, Math.round(age_us / 1e6 + (now - received) / 1_000));
  return `Estimates as of ${lasting(seconds)} ago`;
}
