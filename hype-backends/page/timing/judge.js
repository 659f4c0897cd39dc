/**
 * Judges the images on a screen from the frames that reached it. It is independent of page and browser.
 *
 * Times are in the screen's clock: an image lasts from the refresh in which it appeared to the refresh in which
 * another appeared.
 */

/**
 * One refresh of the screen with something new to draw, in order.
 * @typedef {object} Swap
 * @property {number} at the refresh it belongs to, µs in the screen's clock
 * @property {string | null} shows the name of an image, `""` for the surround, `null` if the content is unknown
 */

/** @typedef {{ name: string, frames: number }} Wanted */
/** @typedef {{ stimulus: Wanted, masks: Wanted[] }} Expected */

/**
 * The verdict on one image: `exact`; shown for another number of `frames`; `missing`; or `unknown`, if it borders on
 * unknown content.
 * @typedef {{ name: string, verdict: "exact" | "long" | "short" | "missing" | "unknown", frames: number }} Seen
 */

/**
 * @typedef {object} TrialVerdict
 * @property {Seen} stimulus
 * @property {Seen[]} masks
 * @property {number} blanks frames of the surround between the stimulus and the last mask
 * @property {boolean} ordered whether the images were in the requested order
 * @property {number} begin µs in the screen's clock; `NaN` if nothing was shown
 * @property {number} end
 */

/** @typedef {{ shows: string | null, at: number, until: number }} Run */

/**
 * @param {readonly Swap[]} swaps
 * @returns {Run[]} what was on the screen, each from its first refresh to the first of the next
 */
function runs(swaps) {
  /** @type {Run[]} */
  const all = [];
  for (const { at, shows } of swaps) {
    const last = all.at(-1);
    if (last !== undefined && last.shows === shows) continue;
    if (last !== undefined) last.until = at;
    all.push({ shows, at, until: NaN });
  }
  return all;
}

/**
 * @param {readonly Run[]} shown
 * @param {Wanted} wanted
 * @param {number} frameUs
 * @returns {Seen}
 */
function seen(shown, { name, frames: wantedFrames }, frameUs) {
  const first = shown.findIndex(({ shows }) => shows === name);
  const last = shown.findLastIndex(({ shows }) => shows === name);
  if (first < 0)
    return { name, verdict: shown.every(({ shows }) => shows !== null) ? 'missing' : 'unknown', frames: 0 };
  const [before, after] = [shown[first - 1], shown[last + 1]];
  if (
    before === undefined ||
    after === undefined ||
    shown.slice(first - 1, last + 2).some(({ shows }) => shows === null)
  ) {
    return { name, verdict: 'unknown', frames: NaN };
  }
  const frames = shown
    .slice(first, last + 1)
    .filter(({ shows }) => shows === name)
    .reduce((sum, { at, until }) => sum + Math.round((until - at) / frameUs), 0);
  return { name, verdict: frames === wantedFrames ? 'exact' : frames > wantedFrames ? 'long' : 'short', frames };
}

/**
 * @param {readonly Swap[]} swaps of the whole recording
 * @param {readonly Expected[]} expected trials, with distinct names
 * @param {number} frameUs the refresh interval of the screen
 * @returns {TrialVerdict[]}
 */
export function judge(swaps, expected, frameUs) {
  const all = runs(swaps);
  return expected.map(({ stimulus, masks }) => {
    const names = [stimulus.name, ...masks.map(({ name }) => name)];
    /** @type {(run: Run) => boolean} */
    const ours = ({ shows }) => shows !== null && names.includes(shows);
    const first = all.findIndex(ours);
    const last = all.findLastIndex(ours);
    const shown = first < 0 ? all : all.slice(Math.max(0, first - 1), last + 2);
    const inner = all.slice(first, last + 1);
    const places = inner.filter(ours).map(({ shows }) => names.indexOf(shows ?? ''));
    const moves = places.filter((place, index) => place !== places[index - 1]);
    return {
      stimulus: seen(shown, stimulus, frameUs),
      masks: masks.map((mask) => seen(shown, mask, frameUs)),
      blanks:
        first < 0
          ? 0
          : inner
              .filter(({ shows }) => shows === '')
              .reduce((sum, { at, until }) => sum + Math.round((until - at) / frameUs), 0),
      ordered: moves.every((place, index) => index === 0 || place > (moves[index - 1] ?? -1)),
      begin: all[first]?.at ?? NaN,
      end: all[last]?.until ?? NaN,
    };
  });
}

/**
 * @typedef {object} Summary
 * @property {number} trials
 * @property {number} stimuli with the exact number of frames
 * @property {number} ofStimuli stimuli whose number of frames is known
 * @property {number} masks with the exact number of frames
 * @property {number} ofMasks masks whose number of frames is known
 * @property {number} missing images that never reached the screen
 * @property {number} blanks trials with a blank frame between the stimulus and the last mask
 * @property {number} disordered trials with images in another order
 * @property {number} unknown images whose content or length is unknown
 * @property {number} whole trials with everything exact
 */

/** @param {TrialVerdict} trial */
const whole = (trial) =>
  trial.ordered && trial.blanks === 0 && [trial.stimulus, ...trial.masks].every(({ verdict }) => verdict === 'exact');

/** Whether a trial was certainly not shown as requested. @param {TrialVerdict} trial */
export const isWrong = (trial) =>
  !trial.ordered ||
  trial.blanks > 0 ||
  [trial.stimulus, ...trial.masks].some(({ verdict }) => verdict !== 'exact' && verdict !== 'unknown');

/**
 * @param {readonly TrialVerdict[]} verdicts
 * @returns {Summary}
 */
export function summary(verdicts) {
  const stimuli = verdicts.map(({ stimulus }) => stimulus);
  const masks = verdicts.flatMap((trial) => trial.masks);
  const pictures = [...stimuli, ...masks];
  /** @type {(seen: readonly Seen[], verdict: Seen["verdict"]) => number} */
  const count = (among, verdict) => among.filter((one) => one.verdict === verdict).length;
  return {
    trials: verdicts.length,
    stimuli: count(stimuli, 'exact'),
    ofStimuli: stimuli.length - count(stimuli, 'unknown'),
    masks: count(masks, 'exact'),
    ofMasks: masks.length - count(masks, 'unknown'),
    missing: count(pictures, 'missing'),
    blanks: verdicts.filter(({ blanks }) => blanks > 0).length,
    disordered: verdicts.filter(({ ordered }) => !ordered).length,
    unknown: count(pictures, 'unknown'),
    whole: verdicts.filter(whole).length,
  };
}

/** The share of exact stimuli and of exact masks required on an idle machine, and while one of its cores is kept busy. */
export const OWED = { idle: 0.99, busy: 0.95 };

/** The largest share of images that the screencast may have missed. */
const MOST_UNKNOWN = 0.02;

/**
 * Whether a page passes: nearly all images that were seen are exact, none is missing or out of order, nearly all were
 * seen, and there is no blank frame.
 * @param {Summary} shown
 * @param {number} owed the share of exact stimuli and of exact masks
 */
export function passes(shown, owed = OWED.idle) {
  return (
    shown.stimuli >= owed * shown.ofStimuli &&
    shown.masks >= owed * shown.ofMasks &&
    shown.missing === 0 &&
    shown.blanks === 0 &&
    shown.disordered === 0 &&
    shown.unknown <= MOST_UNKNOWN * (shown.ofStimuli + shown.ofMasks)
  );
}
