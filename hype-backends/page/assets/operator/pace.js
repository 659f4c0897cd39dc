// How fast raters complete, and when the last place will be.

import { UNKNOWN, clock, count, day, lasting } from '../figures.js';

/**
 * @import { Status } from "../../page.js"
 * @typedef {Pick<Status, "pace" | "unix_ms" | "opened_unix_ms">} Paced
 * @typedef {Paced & Pick<Status, "places" | "done" | "given_up" | "control">} Ending
 */

/** The completions below which no end is expected. */
const COMPLETIONS = 5;

/** The minutes of a window that the study has been open in. @param {Paced} status @param {number} window */
const minutes = ({ unix_ms, opened_unix_ms }, window) =>
  Math.max(1, Math.min(window, (unix_ms - opened_unix_ms) / 60_000));

/**
 * The pace of the last ten minutes: by the minute, or by the hour if fewer than one rater completes in a minute.
 * @param {Paced} status
 * @returns {{ label: string, number: string, unit: string }}
 */
export function pace(status) {
  const open = minutes(status, 10);
  const rate = status.pace.ten_minutes / open;
  const label = `Pace, last ${Math.round(open)}\u00a0min`;
  if (rate === 0 || rate >= 1) return { label, number: rate === 0 ? '0' : rate.toFixed(1), unit: 'per min' };
  return { label, number: count(Math.round(60 * rate)), unit: 'per hour' };
}

/**
 * When the last place is expected to be completed, at the pace of the last ten and of the last sixty minutes; `null` if too few
 * raters have completed.
 * @param {Ending} status
 * @returns {{ from: number, to: number } | null} on the server's clock
 */
export function expectedEnd(status) {
  const { pace, places, done, given_up, unix_ms } = status;
  const rates = [pace.ten_minutes / minutes(status, 10), pace.hour / minutes(status, 60)].filter((rate) => rate > 0);
  if (done < COMPLETIONS || rates.length === 0) return null;
  const at = (/** @type {number} */ rate) => unix_ms + ((places - done - given_up) / rate) * 60_000;
  return { from: at(Math.max(...rates)), to: at(Math.min(...rates)) };
}

/**
 * The expected end in words: the first time, the rest of the range, and what is said below.
 * @param {Ending} status
 * @param {string} [zone] the time zone, the browser's unless given
 * @returns {{ from: string, to: string, about: string }}
 */
export function ending(status, zone) {
  const { places, done, given_up, control, unix_ms } = status;
  const never = (/** @type {string} */ about) => ({ from: UNKNOWN, to: '', about });
  if (control.admission === 'closed') return never('the study is closed');
  if (done + given_up >= places) return never('every place is settled');
  if (control.admission === 'paused') return never('the study is paused');
  const range = expectedEnd(status);
  if (range === null) {
    return never(done < COMPLETIONS ? `once ${COMPLETIONS} raters have completed` : 'no raters complete at the moment');
  }
  const about = `in ${lasting((range.from - unix_ms) / 1_000)} at this pace`;
  const [first, last] = [day(range.from, zone), day(range.to, zone)];
  // Over more than a day, the time of day says nothing.
  if (first !== last) return { from: first, to: `to ${last}`, about };
  const from = clock(range.from, unix_ms, zone);
  const to = clock(range.to, range.from, zone);
  return { from, to: from.endsWith(to) ? '' : `to ${to}`, about };
}
