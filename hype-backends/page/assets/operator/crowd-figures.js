// The figures of recruiting, computed from the study's state without touching the page.

import { count, money, share } from '../figures.js';

/**
 * @import { CrowdListing, CrowdMoney, CrowdOverview, CrowdSeen, UnsettledPayment, WaitingRoom, WaitingWork } from "../../page.js"
 */

/**
 * The people and their work.
 * @param {CrowdSeen} seen
 * @returns {[string, string][]}
 */
export const people = (seen) => [
  ['Recruited', count(seen.recruited)],
  ['Not listed yet', count(seen.pending)],
  ['Working', count(seen.working)],
  ['To review', count(seen.to_review)],
  ['Approved', count(seen.approved)],
  ['Rejected', count(seen.rejected)],
  ['Returned', count(seen.returned)],
  ['Finished', count(seen.finished)],
];

/** @param {number} number @param {string} thing */
const counted = (number, thing) => `${count(number)} ${thing}${number === 1 ? '' : 's'}`;

/**
 * The places that have to be filled, and those that are offered.
 * @param {CrowdSeen} seen
 */
export function places({ needed, offered }) {
  if (needed === 0) return 'No more places have to be filled.';
  const verb = needed === 1 ? 'has' : 'have';
  return `${counted(needed, 'place')} ${verb} to be filled; ${count(offered)} can still be filled through the listings.`;
}

/**
 * Money by state.
 * @param {CrowdMoney} all
 * @returns {[string, string][]}
 */
export const amounts = ({ currency, paid, fees, promised, unclear, hourly }) => [
  ['Paid', money(paid, currency)],
  ['Fees', money(fees, currency)],
  ['Promised', money(promised, currency)],
  ['Unclear', money(unclear, currency)],
  ['Hourly pay so far', money(hourly, currency)],
];

/**
 * What is spent of the limit; without one, just what is spent.
 * @param {CrowdMoney} all
 */
export function spent({ currency, committed, limit }) {
  const sum = money(committed, currency);
  if (limit === null) return `${sum} spent or promised, with fees. The spec sets no limit.`;
  const part = limit > 0 ? ` (${share(committed, limit)})` : '';
  return `${sum} of ${money(limit, currency)} spent or promised, with fees${part}`;
}

/**
 * What the panel asks for, compared with raters' earnings; `null` if it says nothing.
 * @param {CrowdMoney} all
 * @param {string} panel
 */
export function asked({ currency, hourly, hourly_least, hourly_recommended }, panel) {
  if (hourly_least === null) return null;
  const recommended = hourly_recommended === null ? '' : ` and recommends ${money(hourly_recommended, currency)}`;
  const text = `${panel} asks for at least ${money(hourly_least, currency)} an hour${recommended}.`;
  const isLess = hourly !== null && hourly < hourly_least;
  return { isLess, text: isLess ? `Raters earn less: ${text}` : text };
}

/**
 * How many decisions wait for the operator.
 * @param {CrowdOverview} crowd
 */
export function toDecide({ seen }) {
  if (seen === null) return 0;
  return seen.waiting.length + seen.waiting_left_out + seen.unsettled.length + seen.unsettled_left_out;
}

/** The title of the tab. @param {CrowdOverview | null} crowd */
export function tabTitle(crowd) {
  const number = crowd === null ? 0 : toDecide(crowd);
  const isLost = crowd !== null && (crowd.not_reached !== null || (crowd.seen?.problems.length ?? 0) > 0);
  const notes = [number > 0 ? `${count(number)} to decide` : '', isLost ? 'problems' : ''].filter(Boolean);
  return notes.length > 0 ? `Crowd (${notes.join(', ')})` : 'Crowd';
}

/** Why work waits, with the checks that its rater fails. @param {Pick<WaitingWork, "why" | "failed">} work */
export function whyItWaits({ why, failed }) {
  return failed.length > 0 ? `${why}; fails ${failed.join(', ')}` : why;
}

/** Whether people can enter, and how many have. @param {CrowdListing} listing */
export const taken = ({ taken, places }) => `${count(taken)} of ${counted(places, 'place')} taken`;

/** Whether a payment needs a look at the panel, or is made there by hand. @param {UnsettledPayment} payment */
export function whyUnsettled({ state, why }) {
  if (state === 'by-hand') return why ?? 'not paid yet';
  return why ?? 'it is unknown whether it was made';
}

/** How many raters wait. @param {WaitingRoom} room */
export const waitingNow = ({ waiting, raters }) => `${count(waiting)} of ${count(raters)}`;

/** What raters wait for. @param {WaitingRoom} room */
export const whoWaits = ({ raters, is_called }) =>
  is_called
    ? 'Raters were called: those who come begin at once.'
    : `${counted(raters, 'rater')} at most can come in. They wait until you call them, or as long as they may.`;
