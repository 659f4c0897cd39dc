// How clips that are shown together are kept in step, by the media times of their frames. Pure: no clock, no elements.

/** How much faster or slower a clip is played to get into step. */
const BEND = 0.05;

/** The time in which a clip would get into step if its rate were not limited, in seconds. */
const HORIZON = 0.4;

/** The frames for which a clip has to be off before its rate is changed. */
const FRAMES = 3;

/** How long clips are apart before that is a slip, in milliseconds. */
const SLIP = 100;

/** The frames by which clips are apart in a slip. */
const APART = 2;

/**
 * The newest frame of a clip: its media time in seconds, and when it appears, in milliseconds of the page's clock. Browsers
 * tell of some frames before they are on the screen.
 * @typedef {{ media: number, at: number }} Shown
 */

/**
 * What is known of clips that are to be in step.
 * @typedef {object} Step
 * @property {readonly (Shown | null)[]} shown the newest frames
 * @property {readonly number[]} off for how many frames each clip is off: above zero ahead, below zero behind
 * @property {readonly number[]} rates at which each is to be played
 * @property {number} largest difference of media times so far, in seconds
 * @property {readonly [number, number] | null} apart from when to when clips are apart, if they are now
 * @property {readonly (readonly [number, number])[]} slips that are over
 */

/** The beginning of a step. @param {number} clips @returns {Step} */
export function together(clips) {
  const zeros = Array.from({ length: clips }, () => 0);
  return { shown: zeros.map(() => null), off: zeros, rates: zeros.map(() => 1), largest: 0, apart: null, slips: [] };
}

/**
 * The step after a pause or at a new beginning: no clip is known to be off.
 * @param {Step} step
 * @param {number} [clips] that play from now on
 * @returns {Step}
 */
export function restarted(step, clips = step.rates.length) {
  const { largest } = step;
  return { ...together(clips), largest, slips: slipsOf(step) };
}

/** All slips, the last of which may not be over. @param {Step} step */
export function slipsOf({ slips, apart }) {
  return apart !== null && apart[1] - apart[0] >= SLIP ? [...slips, apart] : slips;
}

/**
 * The step with the frames that are on the screen now. The first clip that plays leads, and the others follow.
 * @param {Step} step
 * @param {readonly (Shown | null)[]} shown the newest frame of each clip; `null` for one that has ended or not begun
 * @param {number} frame how long a frame is, in seconds
 * @param {number} now in milliseconds
 * @returns {Step}
 */
export function stepped(step, shown, frame, now) {
  const times = shown.map((one) => (one === null ? null : positionOf(one, frame, now)));
  const lead = times.find((time) => time !== null);
  if (lead === undefined || lead === null || times.filter((time) => time !== null).length < 2) {
    return { ...restarted(step), shown };
  }
  const ahead = times.map((time) => (time === null ? 0 : time - lead));
  const all = times.filter((time) => time !== null);
  const spread = Math.max(...all) - Math.min(...all);
  const off = ahead.map((by, at) => {
    const before = step.off[at] ?? 0;
    if (shown[at]?.media === step.shown[at]?.media) return before;
    if (Math.abs(by) <= frame / 2) return 0;
    return Math.sign(by) === Math.sign(before) ? before + Math.sign(by) : Math.sign(by);
  });
  const rates = ahead.map((by, at) => {
    const rate = step.rates[at] ?? 1;
    const isBent = rate !== 1 && by * (1 - rate) > 0 && Math.abs(by) > frame / 4;
    return isBent || Math.abs(off[at] ?? 0) >= FRAMES ? bent(by) : 1;
  });
  const isApart = spread > APART * frame + 1e-6;
  const slips = isApart ? step.slips : slipsOf(step);
  const apart = isApart ? /** @type {const} */ ([step.apart?.[0] ?? now, now]) : null;
  return { shown, off, rates, largest: Math.max(step.largest, spread), slips, apart };
}

/**
 * Where a clip is in its own time, in seconds, between its newest frame and the one after it. A frame that stands
 * longer than it should is late.
 * @param {Shown} shown
 * @param {number} frame
 * @param {number} now
 */
function positionOf({ media, at }, frame, now) {
  return media + Math.min((now - at) / 1000, frame);
}

/** The rate of a clip that is ahead by some seconds. @param {number} by */
function bent(by) {
  return 1 - Math.max(-BEND, Math.min(BEND, by / HORIZON));
}
