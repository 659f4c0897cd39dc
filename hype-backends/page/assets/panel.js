// Where a panel shows the page: in a window, in the panel's frame, or in a window that was opened from that frame.

/**
 * @import { Whereabouts } from "../page.js"
 */

/** The fragment of the address of a window that was opened from a panel's frame. */
const OPENED = '#window';

/** Where this page is shown. @returns {Whereabouts} */
export function whereabouts() {
  return window.top === window.self ? 'window' : 'frame';
}

/** Whether this window was opened from a panel's frame, which hands in the session. */
export function isOpened() {
  return location.hash === OPENED;
}

/**
 * The address of the page in a window of its own, by which the same rater comes.
 * @param {URL} home
 * @param {Record<string, string>} arrival
 * @returns {string}
 */
export function ownWindow(home, arrival) {
  const address = new URL(home);
  address.search = new URLSearchParams(arrival).toString();
  address.hash = OPENED;
  return address.href;
}
