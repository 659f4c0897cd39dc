// The states of the page and their transitions. Pure: no requests, no document, no clock.

/**
 * @import { Screen, ScreenTrial, TrialPage, PreviewPage, AsidePage, ConsentPage, InstructionsPage, WaitingPage, EndPage,
 *   ClosedPage, Display, Disturbance, Report } from "../page.js"
 */

/**
 * The measurements of a presentation with time limits, its end, in milliseconds of the page's clock, and the scale of its
 * images, in device pixels for each of their pixels; `null` without limits.
 * @typedef {{ display: Display | null, ended: number, factor: number } | null} Presented
 */

/**
 * `opening` waits for the server; `waiting` waits until the study needs raters, and `called` for the rater to begin then; `aside` waits in a panel's frame for the session in another window; `loading` fetches a timed block; `ready` waits for the rater to start it; `showing`
 * plays the parts with limits; `asking` takes the answer; `returning` waits for the trial before; `saving` waits for the receipt of a report, unless the following
 * trial is known already; `feedback` shows whether the answer was right.
 * @typedef {(
 *   | { at: "opening" }
 *   | { at: "preview", screen: PreviewPage }
 *   | { at: "aside", screen: AsidePage }
 *   | { at: "consent", screen: ConsentPage }
 *   | { at: "declined", screen: ConsentPage }
 *   | { at: "instructions", screen: InstructionsPage }
 *   | { at: "waiting", screen: WaitingPage }
 *   | { at: "called", screen: TrialPage }
 *   | { at: "rest", screen: TrialPage }
 *   | { at: "loading", screen: TrialPage }
 *   | { at: "ready", screen: TrialPage, interrupted: Disturbance | null }
 *   | { at: "showing", screen: TrialPage }
 *   | { at: "asking", screen: TrialPage, presented: Presented, refused: string | null }
 *   | { at: "returning", screen: TrialPage }
 *   | { at: "saving", screen: TrialPage, presented: Presented, report: Report }
 *   | { at: "feedback", screen: TrialPage, correct: boolean, next: Screen }
 *   | { at: "end", screen: EndPage }
 *   | { at: "closed", screen: ClosedPage }
 *   | { at: "leaving" }
 *   | { at: "taken-over" }
 *   | { at: "trouble", reason: Trouble, detail: string }
 * )} State
 */

/** @typedef {"cookies" | "fault" | "too-old" | "images" | "clips" | "size"} Trouble */

/**
 * What persists between states: the block whose images are loaded, whether the rater has started it, the trial before
 * which the rater rested, why the last presentation was void, the trial after the current one if the server has told it, and
 * the trial that the rater has left to correct the one before.
 * @typedef {{ loaded: string | null, started: boolean, rested: number | null, interrupted: Disturbance | null,
 *   following: TrialPage | null, left: TrialPage | null }} Memory
 */

/** @typedef {{ state: State, memory: Memory }} Page */

/**
 * @typedef {(
 *   | { type: "screen", screen: Screen }
 *   | { type: "open" }
 *   | { type: "leave" }
 *   | { type: "declined" }
 *   | { type: "begun" }
 *   | { type: "rested" }
 *   | { type: "loaded" }
 *   | { type: "started" }
 *   | { type: "back" }
 *   | { type: "keep" }
 *   | { type: "presented", presented: NonNullable<Presented> }
 *   | { type: "report", report: Report }
 *   | { type: "receipt", of: Report, correct: boolean | null, next: Screen }
 *   | { type: "feedback-over" }
 *   | { type: "refused", of: Report, message: string }
 *   | { type: "taken-over" }
 *   | { type: "trouble", reason: Trouble, detail: string }
 * )} Event
 */

/** @returns {Page} the page before anything has happened */
export function beginning() {
  const memory = { loaded: null, started: false, rested: null, interrupted: null, following: null, left: null };
  return { state: { at: 'opening' }, memory };
}

/**
 * The next state. An event that does not fit the state changes nothing.
 * @param {Page} page
 * @param {Event} event
 * @returns {Page}
 */
export function step(page, event) {
  const { state, memory } = page;
  switch (event.type) {
    case 'screen':
      // The rater may be elsewhere when the wait is over. Timed trials are started by the rater anyway.
      if (state.at === 'waiting' && event.screen.screen === 'trial' && !isTimed(event.screen.trial)) {
        return { state: { at: 'called', screen: event.screen }, memory };
      }
      if (state.at === 'returning' && event.screen.screen === 'trial' && event.screen.given !== null) {
        return arrive({ ...memory, left: state.screen }, event.screen);
      }
      return show(memory, event.screen);
    case 'open':
      return { state: { at: 'opening' }, memory: { ...memory, started: false, following: null, left: null } };
    case 'leave':
      return { state: { at: 'leaving' }, memory };
    case 'taken-over':
      return { state: { at: 'taken-over' }, memory: { ...memory, started: false } };
    case 'trouble':
      return { state: { at: 'trouble', reason: event.reason, detail: event.detail }, memory };
    case 'declined':
      return state.at === 'consent' ? { state: { at: 'declined', screen: state.screen }, memory } : page;
    case 'begun':
      return state.at === 'called' ? show(memory, state.screen) : page;
    case 'rested':
      return state.at === 'rest' ? arrive({ ...memory, rested: state.screen.trial.number }, state.screen) : page;
    case 'loaded':
      return state.at === 'loading' ? arrive({ ...memory, loaded: blockOf(state.screen) }, state.screen) : page;
    case 'started':
      return state.at === 'ready' ? arrive({ ...memory, started: true, interrupted: null }, state.screen) : page;
    case 'back':
      if (state.at !== 'asking' || !state.screen.back) return page;
      return { state: { at: 'returning', screen: state.screen }, memory: { ...memory, following: null } };
    case 'keep':
      if (state.at !== 'asking' || state.screen.given === null || memory.left === null) return page;
      return show(memory, memory.left);
    case 'presented':
      if (state.at !== 'showing') return page;
      return { state: { at: 'asking', screen: state.screen, presented: event.presented, refused: null }, memory };
    case 'report':
      return report(page, event.report);
    case 'receipt':
      return receipt(page, event);
    case 'feedback-over':
      return state.at === 'feedback' ? show(memory, state.next) : page;
    case 'refused': {
      if (state.at !== 'saving' || state.report !== event.of || event.of.to !== 'answer') return page;
      const { screen, presented } = state;
      return { state: { at: 'asking', screen, presented, refused: event.message }, memory };
    }
  }
}

/**
 * @param {Memory} memory
 * @param {Screen} screen
 * @returns {Page}
 */
function show(memory, screen) {
  switch (screen.screen) {
    case 'preview':
      return { state: { at: 'preview', screen }, memory };
    case 'aside':
      return { state: { at: 'aside', screen }, memory };
    case 'consent':
      return { state: { at: 'consent', screen }, memory };
    case 'instructions':
      return { state: { at: 'instructions', screen }, memory };
    case 'waiting':
      return { state: { at: 'waiting', screen }, memory };
    case 'trial':
      return arrive({ ...memory, following: followingOf(screen), left: null }, screen);
    case 'end':
      return { state: { at: 'end', screen }, memory };
    case 'closed':
      return { state: { at: 'closed', screen }, memory };
    default:
      return tooOld(memory, 'screen', screen);
  }
}

/**
 * The first state before a trial that is still due.
 * @param {Memory} memory
 * @param {TrialPage} screen
 * @returns {Page}
 */
function arrive(memory, screen) {
  const { trial } = screen;
  const unknown = trial.parts.find((part) => !PARTS.has(part.part)) ?? trial.questions.find((one) => !isKnown(one));
  if (unknown !== undefined) return tooOld(memory, 'trial', unknown);
  // A rater who returns to a trial has rested before it.
  if (trial.rest_ms !== null && memory.rested !== trial.number && screen.given === null) {
    return { state: { at: 'rest', screen }, memory: { ...memory, started: false } };
  }
  if (!isTimed(trial)) return { state: { at: 'asking', screen, presented: null, refused: null }, memory };
  if (memory.loaded !== blockOf(screen)) {
    return { state: { at: 'loading', screen }, memory: { ...memory, loaded: null, started: false } };
  }
  if (!memory.started) return { state: { at: 'ready', screen, interrupted: memory.interrupted }, memory };
  return { state: { at: 'showing', screen }, memory };
}

/** @param {Page} page @param {Report} report @returns {Page} */
function report(page, report) {
  const { state, memory } = page;
  if (state.at === 'asking' && report.to === 'answer') {
    const saving = { at: /** @type {const} */ ('saving'), screen: state.screen, presented: state.presented, report };
    return proceed({ state: saving, memory: { ...memory, interrupted: null } });
  }
  if ((state.at === 'showing' || state.at === 'asking') && report.to === 'disturbed') {
    // An answer that is corrected stands, and its trial is asked anew by the page alone.
    if (state.at === 'asking' && state.screen.given !== null) return { state: { ...state }, memory };
    // The rater decides when to continue, and does not return to an image that is already being shown.
    const remembered = { ...memory, started: false, interrupted: report.body.reason };
    return { state: { at: 'saving', screen: state.screen, presented: null, report }, memory: remembered };
  }
  return page;
}

/**
 * Shows the following trial while an answer is being saved, if the server has told it and there is no feedback to wait for.
 * @param {Page} page
 * @returns {Page}
 */
function proceed(page) {
  const { state, memory } = page;
  if (state.at !== 'saving' || state.report.to !== 'answer' || memory.following === null) return page;
  if (state.screen.trial.feedback_ms !== null) return page;
  return arrive({ ...memory, following: null }, memory.following);
}

/**
 * @param {Page} page
 * @param {{ of: Report, correct: boolean | null, next: Screen }} receipt
 * @returns {Page}
 */
function receipt(page, { of, correct, next }) {
  const { state, memory } = page;
  if (state.at === 'saving' && state.report === of) return acknowledge(memory, state.screen, { correct, next });
  if (state.at !== 'rest' && state.at !== 'asking' && state.at !== 'saving') return page;
  const { number } = state.screen.trial;
  if (of.to !== 'answer' || of.body.trial !== number - 1 || state.screen.given !== null) return page;
  // The page is at the following trial already, and the server now tells the one after it.
  if (next.screen !== 'trial' || next.trial.number !== number) return show(memory, next);
  return proceed({ state, memory: { ...memory, following: followingOf(next) } });
}

/**
 * @param {Memory} memory
 * @param {TrialPage} screen
 * @param {{ correct: boolean | null, next: Screen }} receipt
 * @returns {Page}
 */
function acknowledge(memory, screen, { correct, next }) {
  if (correct === null || screen.trial.feedback_ms === null) return show(memory, next);
  return { state: { at: 'feedback', screen, correct, next }, memory };
}

/**
 * The screen of the trial after this one, if the server has told it.
 * @param {TrialPage} screen
 * @returns {TrialPage | null}
 */
function followingOf({ following, ...screen }) {
  return following === null ? null : { ...screen, ...following, given: null, following: null };
}

/**
 * Whether a trial shows clips or texts.
 * @param {ScreenTrial} trial
 */
export const isPlayed = (trial) => (trial.playback ?? null) !== null;

const PARTS = new Set(['countdown', 'image', 'masks', 'condition', 'gallery', 'plate']);

const FORMS = ['choice', 'marks', 'number', 'ranking', 'several', 'slider', 'text'];

/** @param {ScreenTrial["questions"][number]} question */
function isKnown(question) {
  return FORMS.some((form) => form in question.form);
}

/** @param {Memory} memory @param {string} what @param {unknown} found @returns {Page} */
function tooOld(memory, what, found) {
  return { state: { at: 'trouble', reason: 'too-old', detail: `${what}: ${JSON.stringify(found)}` }, memory };
}

/**
 * Whether a part of the trial disappears by itself and therefore needs the presenter.
 * @param {ScreenTrial} trial
 * @returns {boolean}
 */
export function isTimed(trial) {
  return trial.parts.some(
    (part) =>
      part.part === 'countdown' || part.part === 'masks' || ('exposure_ms' in part && part.exposure_ms !== null),
  );
}

/**
 * A key for a block, made from its images.
 * @param {TrialPage} screen
 * @returns {string}
 */
export function blockOf(screen) {
  return screen.block.join(' ');
}
