// The states of the page and their transitions. Pure: no requests, no document, no clock.

/**
 * @import { Screen, ScreenTrial, TrialPage, ConsentPage, InstructionsPage, EndPage, ClosedPage, Display, Disturbance,
 *   Report } from "../page.js"
 */

/**
 * The measurements of a presentation with time limits, its end, in milliseconds of the page's clock, and the scale of its
 * images, in device pixels for each of their pixels; `null` without limits.
 * @typedef {{ display: Display | null, ended: number, factor: number } | null} Presented
 */

/**
 * `opening` waits for the server; `loading` fetches a timed block; `ready` waits for the rater to start it; `showing`
 * plays the parts with limits; `asking` takes the answer; `saving` sends a report; `feedback` shows whether it was right.
 * @typedef {(
 *   | { at: "opening" }
 *   | { at: "consent", screen: ConsentPage }
 *   | { at: "declined", screen: ConsentPage }
 *   | { at: "instructions", screen: InstructionsPage }
 *   | { at: "rest", screen: TrialPage }
 *   | { at: "loading", screen: TrialPage }
 *   | { at: "ready", screen: TrialPage, interrupted: Disturbance | null }
 *   | { at: "showing", screen: TrialPage }
 *   | { at: "asking", screen: TrialPage, presented: Presented, refused: string | null }
 *   | { at: "saving", screen: TrialPage, presented: Presented, report: Report }
 *   | { at: "feedback", screen: TrialPage, correct: boolean, next: Screen }
 *   | { at: "end", screen: EndPage }
 *   | { at: "closed", screen: ClosedPage }
 *   | { at: "leaving" }
 *   | { at: "taken-over" }
 *   | { at: "trouble", reason: Trouble, detail: string }
 * )} State
 */

/** @typedef {"fault" | "too-old" | "images" | "size"} Trouble */

/**
 * What persists between states: the block whose images are loaded, whether the rater has started it, the trial before
 * which the rater rested, and why the last presentation was void.
 * @typedef {{ loaded: string | null, started: boolean, rested: number | null, interrupted: Disturbance | null }} Memory
 */

/** @typedef {{ state: State, memory: Memory }} Page */

/**
 * @typedef {(
 *   | { type: "screen", screen: Screen }
 *   | { type: "open" }
 *   | { type: "leave" }
 *   | { type: "declined" }
 *   | { type: "rested" }
 *   | { type: "loaded" }
 *   | { type: "started" }
 *   | { type: "presented", presented: NonNullable<Presented> }
 *   | { type: "report", report: Report }
 *   | { type: "receipt", correct: boolean | null, next: Screen }
 *   | { type: "feedback-over" }
 *   | { type: "refused", message: string }
 *   | { type: "taken-over" }
 *   | { type: "trouble", reason: Trouble, detail: string }
 * )} Event
 */

/** @returns {Page} the page before anything has happened */
export function beginning() {
  return { state: { at: 'opening' }, memory: { loaded: null, started: false, rested: null, interrupted: null } };
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
      return show(memory, event.screen);
    case 'open':
      return { state: { at: 'opening' }, memory: { ...memory, started: false } };
    case 'leave':
      return { state: { at: 'leaving' }, memory };
    case 'taken-over':
      return { state: { at: 'taken-over' }, memory: { ...memory, started: false } };
    case 'trouble':
      return { state: { at: 'trouble', reason: event.reason, detail: event.detail }, memory };
    case 'declined':
      return state.at === 'consent' ? { state: { at: 'declined', screen: state.screen }, memory } : page;
    case 'rested':
      return state.at === 'rest' ? arrive({ ...memory, rested: state.screen.trial.number }, state.screen) : page;
    case 'loaded':
      return state.at === 'loading' ? arrive({ ...memory, loaded: blockOf(state.screen) }, state.screen) : page;
    case 'started':
      return state.at === 'ready' ? arrive({ ...memory, started: true, interrupted: null }, state.screen) : page;
    case 'presented':
      if (state.at !== 'showing') return page;
      return { state: { at: 'asking', screen: state.screen, presented: event.presented, refused: null }, memory };
    case 'report':
      return report(page, event.report);
    case 'receipt':
      return state.at === 'saving' ? acknowledge(memory, state.screen, event) : page;
    case 'feedback-over':
      return state.at === 'feedback' ? show(memory, state.next) : page;
    case 'refused': {
      if (state.at !== 'saving' || state.report.to !== 'answer') return page;
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
    case 'consent':
      return { state: { at: 'consent', screen }, memory };
    case 'instructions':
      return { state: { at: 'instructions', screen }, memory };
    case 'trial':
      return arrive(memory, screen);
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
  if (trial.rest_ms !== null && memory.rested !== trial.number) {
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
function report({ state, memory }, report) {
  if (state.at === 'asking' && report.to === 'answer') {
    return { state: { at: 'saving', screen: state.screen, presented: state.presented, report }, memory };
  }
  if ((state.at === 'showing' || state.at === 'asking') && report.to === 'disturbed') {
    // The rater decides when to continue, so that nobody returns to an image that is already being shown.
    const remembered = { ...memory, started: false, interrupted: report.body.reason };
    return { state: { at: 'saving', screen: state.screen, presented: null, report }, memory: remembered };
  }
  return { state, memory };
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

const PARTS = new Set(['countdown', 'image', 'masks', 'condition', 'gallery']);

/** @param {ScreenTrial["questions"][number]} question */
function isKnown(question) {
  return 'choice' in question.form || 'number' in question.form || 'ranking' in question.form;
}

/** @param {Memory} memory @param {string} what @param {unknown} found @returns {Page} */
function tooOld(memory, what, found) {
  return { state: { at: 'trouble', reason: 'too-old', detail: `${what}: ${JSON.stringify(found)}` }, memory };
}

/**
 * Whether a part of the trial disappears by itself, so that the presenter has to show it.
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
