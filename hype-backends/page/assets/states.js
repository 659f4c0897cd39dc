// Kinds of states, and the names of presentations.

import { isTimed } from './flow.js';

/**
 * @import { TrialPage } from "../page.js"
 * @import { State } from "./flow.js"
 */

/** States in which the images of the following trial are loaded. */
export const AHEAD = new Set(['rest', 'asking', 'saving', 'feedback']);

/** States that show a trial. */
export const ON_TRIAL = new Set(['showing', 'asking', 'returning', 'saving', 'feedback']);

/** States without a session that another tab could take over. */
export const OUTSIDE = new Set(['preview', 'aside', 'consent', 'declined', 'end', 'closed', 'taken-over']);

/** States in which images are judged, and those between them. */
const JUDGING = new Set(['rest', 'ready', 'loading', 'showing', 'asking', 'returning', 'saving', 'feedback']);

/**
 * Whether a state belongs to a trial that shows images briefly, before which no bright screen may come.
 * @param {State} state
 */
export function isBrief(state) {
  return JUDGING.has(state.at) && 'screen' in state && state.screen.screen === 'trial' && isTimed(state.screen.trial);
}

/** @param {TrialPage} screen @returns {string} the name of a presentation */
export function nameOf({ trial: { number, showing }, block }) {
  return [number, showing, ...block].join(' ');
}
