// The event log of a study, condensed to what tests compare.

import assert from 'node:assert/strict';

/**
 * @import { Answer, Display, Environment, ImageScale, Inspection, Played } from "../../page.js"
 * @import { Person } from "../browser/person.js"
 */

/**
 * One session.
 * @typedef {object} Kept
 * @property {string} session
 * @property {string[]} tabs the names of the pages that held it
 * @property {string | null} language the language of the consent
 * @property {{ trial: number, answer: Answer, rt_us: number }[]} answers
 * @property {{ trial: number, revision: number, answer: Answer }[]} corrections
 * @property {{ trial: number, showing: number, display: Display }[]} displays
 * @property {{ trial: number, scale: ImageScale }[]} scales
 * @property {{ trial: number, inspection: Inspection }[]} inspected
 * @property {{ trial: number, played: Played }[]} played
 * @property {{ trial: number, showing: number, reason: string }[]} disturbed
 * @property {number[]} overruns the trials whose response took longer than the server saw
 * @property {Environment | null} environment
 * @property {string | null} ending
 */

/**
 * @param {string} lines as `hype export --what events` writes them
 * @returns {Kept[]}
 */
export function readLog(lines) {
  /** @type {Map<string, Kept>} */
  const sessions = new Map();
  for (const line of lines.split('\n').filter((one) => one !== '')) {
    const { session, event } = JSON.parse(line);
    if (!sessions.has(session)) sessions.set(session, empty(session));
    take(/** @type {Kept} */ (sessions.get(session)), event);
  }
  return [...sessions.values()];
}

/** @param {string} session @returns {Kept} */
function empty(session) {
  return {
    session,
    tabs: [],
    language: null,
    answers: [],
    corrections: [],
    displays: [],
    scales: [],
    inspected: [],
    played: [],
    disturbed: [],
    overruns: [],
    environment: null,
    ending: null,
  };
}

/** @param {Kept} kept @param {any} event */
function take(kept, { answered, corrected, disturbed, noted, finished }) {
  if (answered) {
    kept.answers.push({ trial: answered.trial, answer: answered.answer, rt_us: answered.timing.rt });
  } else if (corrected) {
    const { revision, answered: again } = corrected;
    kept.corrections.push({ trial: again.trial, revision, answer: again.answer });
  } else if (disturbed) {
    kept.disturbed.push({ trial: disturbed.trial, showing: disturbed.showing, reason: disturbed.reason });
  } else if (finished) {
    kept.ending = finished.ending;
  } else if (noted) {
    const { attached, consented, environment, displayed, scaled, inspected, played, overrun } = noted.note;
    if (attached) kept.tabs.push(attached.tab);
    if (consented) kept.language = consented.language;
    if (environment) kept.environment = environment;
    if (displayed) kept.displays.push(displayed);
    if (scaled) kept.scales.push(scaled);
    if (inspected) kept.inspected.push(inspected);
    if (played) kept.played.push(played);
    if (overrun) kept.overruns.push(overrun.trial);
  }
}

/**
 * The session of a rater, found by the names of the rater's page.
 * @param {Kept[]} log
 * @param {Person} person
 * @returns {Kept}
 */
export function sessionOf(log, person) {
  const found = log.filter((kept) => kept.tabs.some((tab) => person.tabs.has(tab)));
  assert.equal(found.length, 1, 'a rater has one session');
  return /** @type {Kept} */ (found[0]);
}

/**
 * Asserts that the log has exactly the answers that a rater gave, each once and in order.
 * @param {Kept} kept
 * @param {Pick<Person, "given">} person
 */
export function holdsTheAnswers(kept, person) {
  assert.deepEqual(
    kept.answers.map(({ trial, answer }) => ({ trial, answer })),
    person.given,
  );
  for (const { trial, rt_us } of kept.answers) {
    assert.ok(Number.isInteger(rt_us) && rt_us > 0, `trial ${trial} was answered after ${rt_us} µs`);
  }
}
