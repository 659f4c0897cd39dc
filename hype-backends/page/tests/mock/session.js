// One rater's session of the mock study.

import { randomBytes } from 'node:crypto';
import { draw } from './pictures.js';
import { faultOf, recorded, resized, sizeOf, templates } from './study.js';

/**
 * @import { FollowingTrial, Screen, ScreenTrial, AnswerBody, DisturbedBody, Environment, Receipt } from "../../page.js"
 * @import { Look } from "./pictures.js"
 * @import { Served, Template } from "./study.js"
 */

/** The recorded study with the screens of a session. @param {Record<string, string>} arrival */
const studyOf = (arrival) => (['all', 'timed', undefined].includes(arrival['study']) ? 'timed' : 'judgment');

/**
 * What the timed trials of a study require, with the refresh rate that the address asks for: browsers without a screen
 * are slow.
 * @param {Record<string, string>} arrival
 */
function needsOf(arrival) {
  const { needs } = recorded(studyOf(arrival), 'instructions');
  return needs === null ? null : { ...needs, refresh_hz: Number(arrival['hz'] ?? 20) };
}

/** Whether raters can look closely. @param {Record<string, string>} arrival */
const zooms = (arrival) => arrival['zoom'] === 'yes';

/** @param {string} language @param {Record<string, string>} arrival @returns {Screen} */
export function consentScreen(language, arrival) {
  const screen = recorded(studyOf(arrival), 'consent');
  const minimum_age = arrival['age'] === 'none' ? null : screen.minimum_age;
  const declined = arrival['declined'] ? { code: arrival['declined'], redirect: arrival['redirect'] ?? null } : null;
  return { ...screen, language, minimum_age, declined, needs: needsOf(arrival) };
}

/** Whether a worker only previews the task. @param {Record<string, string>} arrival */
export const isPreview = (arrival) => arrival['assignmentId'] === 'ASSIGNMENT_ID_NOT_AVAILABLE';

/** @param {string} language @param {Record<string, string>} arrival @returns {Screen} */
export function previewScreen(language, arrival) {
  const { study, paragraphs: consent, minutes, pay, languages } = recorded(studyOf(arrival), 'consent');
  const { paragraphs: guidance, test } = recorded(studyOf(arrival), 'instructions');
  const needs = needsOf(arrival);
  return { screen: 'preview', study, language, guidance, consent, test, minutes, pay, needs, languages };
}

/** @param {string} language @param {"none" | "open"} session @returns {Screen} */
export function asideScreen(language, session) {
  return { screen: 'aside', study: recorded('judgment', 'consent').study, language, session };
}

/** @param {string} language @param {string} reason @returns {Screen} */
export function closedScreen(language, reason) {
  return { ...recorded('judgment', 'closed'), language, reason };
}

/** A session, from consent to the end. */
export class Session {
  /** @type {"instructions" | "waiting" | "trials" | "completed" | "left"} */
  at = 'instructions';
  /** The minutes waited so far. */
  minutes = 0;
  place = 0;
  showing = 0;
  /** @type {Environment | null} */
  environment = null;
  /** Every accepted report, in order. @type {{ to: string, body: AnswerBody | DisturbedBody }[]} */
  taken = [];
  /** The number of repeated reports. */
  repeated = 0;
  /** @type {Map<string, Served>} */
  images = new Map();
  /** @type {Map<string, boolean | null>} */
  #receipts = new Map();
  /** @type {ScreenTrial | null} */
  #trial = null;
  /** The trial that follows, where it is told. @type {ScreenTrial | null} */
  #ahead = null;
  /** What timed trials show, drawn when their block begins. @type {Map<Template, ScreenTrial["parts"]>} */
  #block = new Map();

  /** @param {string} tab @param {string} language @param {Record<string, string>} arrival */
  constructor(tab, language, arrival) {
    this.tab = tab;
    this.language = language;
    this.arrival = arrival;
    this.templates = templates(arrival['study'] ?? 'all');
  }

  /** @returns {Screen} */
  screen() {
    const { language } = this;
    const study = studyOf(this.arrival);
    if (this.at === 'instructions') {
      return { ...recorded(study, 'instructions'), language, needs: needsOf(this.arrival), zoom: zooms(this.arrival) };
    }
    if (this.at === 'waiting') {
      const { consent, currency } = { consent: recorded(study, 'consent'), currency: 'USD' };
      const waited = { minutes: this.minutes, minutes_at_most: 20, minutes_left: 21 - this.minutes };
      const pay = (0.15 * this.minutes).toFixed(2);
      return { screen: 'waiting', study: consent.study, language, ...waited, pay, per_hour: '9.00', currency };
    }
    if (this.at === 'trials') {
      const trial = this.trial();
      const progress = { answered: this.place, at_most: this.templates.length };
      const block = [...this.images.keys()].sort();
      return {
        ...recorded(study, 'trial'),
        language,
        trial,
        block,
        progress,
        back: false,
        given: null,
        following: this.#following(),
      };
    }
    const end = recorded('judgment', 'end', this.at);
    const redirect = this.at === 'completed' ? (this.arrival['redirect'] ?? null) : null;
    return { ...end, language, redirect, hand_in: this.#handIn(), again: this.arrival['again'] === 'yes' };
  }

  /** The rater leaves the instructions: to a wait, if the address says so. */
  begin() {
    if (this.at !== 'instructions') return;
    this.at = this.arrival['wait'] === 'yes' ? 'waiting' : 'trials';
    this.minutes = 1;
  }

  /** The form of a panel that has one. */
  #handIn() {
    const { turkSubmitTo, assignmentId } = this.arrival;
    if (turkSubmitTo === undefined || assignmentId === undefined) return null;
    const fields = { assignmentId, code: 'C0DE', ending: this.at };
    return { action: `${turkSubmitTo}/mturk/externalSubmit`, fields };
  }

  /** Whether the session is over. */
  get isOver() {
    return this.at === 'completed' || this.at === 'left';
  }

  /** @returns {ScreenTrial} the trial that is due; the same until it is reported */
  trial() {
    const isTold = this.#ahead?.number === this.place && this.showing === 0;
    this.#trial ??= isTold ? this.#ahead : null;
    return (this.#trial ??= this.#at(this.place, this.showing));
  }

  /** The trial that follows, if the address wants it to be told. @returns {FollowingTrial | null} */
  #following() {
    const number = this.place + 1;
    if (this.arrival['ahead'] !== 'yes' || number >= this.templates.length) return null;
    if (this.#ahead?.number !== number) this.#ahead = this.#at(number, 0);
    const progress = { answered: number, at_most: this.templates.length };
    return { trial: this.#ahead, block: [...this.images.keys()].sort(), progress, back: false };
  }

  /** @param {number} number @param {number} showing @returns {ScreenTrial} */
  #at(number, showing) {
    const template = /** @type {Template} */ (this.templates[number]);
    return {
      number,
      showing,
      phase: template.phase,
      block: 0,
      block_trials: this.templates.length,
      in_block: number,
      rest_ms: showing === 0 ? template.rest : null,
      parts: resized(this.#parts(template), sizeOf(this.arrival['images'])),
      enlarge: 'nearest',
      zoom: template.block === null && zooms(this.arrival),
      questions: template.questions,
      answer_after_ms: template.answerAfter,
      feedback_ms: template.feedback,
      ...(template.playback === undefined ? {} : { playback: template.playback }),
    };
  }

  /** @param {Template} template */
  #parts(template) {
    const token = (/** @type {Look | Served} */ look) => this.#token(look);
    if (template.block === null) {
      if (this.arrival['ahead'] !== 'yes') this.images.clear();
      return template.parts(token);
    }
    if (!this.#block.has(template)) {
      this.images.clear();
      for (const one of this.templates) if (one.block === template.block) this.#block.set(one, one.parts(token));
    }
    // Images that were shown are not shown again: a repeated trial has other images.
    return this.showing === 0 ? (this.#block.get(template) ?? []) : template.parts(token);
  }

  /** @param {Look | Served} look */
  #token(look) {
    const bytes = randomBytes(16);
    const token = bytes.toString('hex');
    const size = sizeOf(this.arrival['images']);
    const drawn = () => ({ type: 'image/png', bytes: draw(/** @type {Look} */ (look), bytes.readUInt32BE(0), size) });
    this.images.set(token, typeof look === 'object' ? look : drawn());
    return token;
  }

  /**
   * Handles a report.
   * @param {string} to
   * @param {any} body
   * @returns {Receipt | { fault: [number, string, string] }}
   */
  report(to, body) {
    const key = `${body.trial}.${body.showing}`;
    const before = this.#receipts.get(key);
    if (before !== undefined) {
      this.repeated += 1;
      return { saved: true, correct: before, next: this.screen() };
    }
    if (this.at !== 'trials' || body.trial !== this.place || body.showing !== this.showing) {
      return { fault: [409, 'not-this-trial', 'the session is elsewhere'] };
    }
    const template = /** @type {Template} */ (this.templates[this.place]);
    if (to === 'answer') {
      const faults = template.questions.map((question) => faultOf(question, body.answer?.[question.id]));
      const fault = faults.find((one) => one !== null);
      if (fault) return { fault: [422, 'refused', fault] };
    }
    const right = template.right;
    const correct = to === 'answer' && right ? JSON.stringify(body.answer) === JSON.stringify(right) : null;
    this.taken.push({ to, body });
    this.#receipts.set(key, correct);
    this.#trial = null;
    if (to === 'answer') {
      this.place += 1;
      this.showing = 0;
    } else {
      this.showing += 1;
    }
    if (this.place === this.templates.length) this.at = 'completed';
    return { saved: true, correct, next: this.screen() };
  }
}
