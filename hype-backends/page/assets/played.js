// How much of clips and texts was seen, and when clips stood still. Pure: no clock, no elements.

/**
 * @import { PlayedSpan } from "../page.js"
 */

/** The most entries of a list in a report, of which the server takes no more. */
export const ENTRIES = 64;

/** How much of a whole may be missing from its end, by rounding, for all of it to have been seen. */
const SLACK = 0.005;

/** Ranges that neither touch nor overlap, in ascending order. @typedef {readonly (readonly [number, number])[]} Ranges */

/**
 * Ranges with one more.
 * @param {Ranges} ranges
 * @param {number} from
 * @param {number} to
 * @returns {Ranges}
 */
export function added(ranges, from, to) {
  if (to <= from) return ranges;
  const before = ranges.filter((one) => one[1] < from);
  const after = ranges.filter((one) => one[0] > to);
  const touched = ranges.slice(before.length, ranges.length - after.length);
  const first = touched[0]?.[0] ?? from;
  const last = touched.at(-1)?.[1] ?? to;
  return [...before, [Math.min(from, first), Math.max(to, last)], ...after];
}

/** The seconds that loading may take longer than clips play, as `hype check` reckons. */
const PATIENCE = 2;

/**
 * Whether clips load so slowly that raters wait before every trial: those of the next one are loaded while a trial plays.
 * @param {number} took seconds of loading a trial
 * @param {number} plays seconds of its longest clip
 */
export const isSlow = (took, plays) => took > plays + PATIENCE;

/** The length of all ranges together. @param {Ranges} ranges */
export const lengthOf = (ranges) => ranges.reduce((sum, [from, to]) => sum + to - from, 0);

/**
 * Whether enough of a clip or text was seen.
 * @param {{ seen: Ranges, whole: number, ended: boolean }} found what was seen of how much, and whether its end was reached
 * @param {number} finish the share that has to be seen; 1 for all
 */
export function isFinished({ seen, whole, ended }, finish) {
  return ended || lengthOf(seen) >= finish * whole - SLACK * whole;
}

/**
 * Whether texts were in view for long enough to be read: each by itself, and all one after the other.
 * @param {readonly number[]} shown for how long each was in view
 * @param {number} together for how long any was
 * @param {readonly number[]} least how long each takes at least
 */
export const isReadable = (shown, together, least) =>
  together >= least.reduce((sum, one) => sum + one, 0) && least.every((one, at) => (shown[at] ?? 0) >= one);

/**
 * Whether a text was read: its end was in view, or enough of it.
 * @param {Ranges} seen
 * @param {number} whole
 * @param {number} finish
 */
export const isRead = (seen, whole, finish) =>
  isFinished({ seen, whole, ended: (seen.at(-1)?.[1] ?? 0) >= whole }, finish);

/**
 * Ranges in whole units; one that was seen in part counts whole. Those that are too many are joined into the last.
 * @param {Ranges} ranges
 * @param {number} unit
 * @param {number} whole what there is to see
 * @returns {[number, number][]} each without its end
 */
export function inUnits(ranges, unit, whole) {
  const most = Math.ceil(whole / unit - 1e-6);
  const found = ranges.reduce((/** @type {Ranges} */ all, [from, to]) => {
    const last = Math.min(most, Math.ceil(to / unit - 1e-6));
    return added(all, Math.max(0, Math.floor(from / unit + 1e-6)), last);
  }, []);
  const kept = found.slice(0, ENTRIES).map(([from, to]) => /** @type {[number, number]} */ ([from, to]));
  const [last, end] = [kept.at(-1), found.at(-1)];
  if (last !== undefined && end !== undefined) last[1] = end[1];
  return kept;
}

/**
 * Times as they are reported. The lengths of those that are too many are added to the last.
 * @param {readonly (readonly [number, number])[]} spans from when to when, in milliseconds
 * @param {number} onset
 * @returns {PlayedSpan[]}
 */
export function reported(spans, onset) {
  const all = spans.map(([from, to]) => ({ at_us: micros(from - onset), for_us: micros(to - from) }));
  const kept = all.slice(0, ENTRIES);
  const last = kept.at(-1);
  if (last !== undefined) for (const { for_us } of all.slice(ENTRIES)) last.for_us += for_us;
  return kept;
}

/** @param {number} milliseconds @returns {number} whole microseconds, not below 0 */
export const micros = (milliseconds) => Math.max(0, Math.round(milliseconds * 1000));
