// One rater's session of the mock study.

import { randomBytes } from 'node:crypto';
import { draw } from './pictures.js';
import { faultOf, resized, sizeOf, templates } from './study.js';

/**
 * @import { Screen, ScreenTrial, AnswerBody, DisturbedBody, Environment, Receipt } from "../../page.js"
 * @import { Look } from "./pictures.js"
 * @import { Template } from "./study.js"
 */

const STUDY = { title: 'Landscapes', contact: 'study@example.org' };

/**
 * What the timed trials of a study require.
 * @param {Record<string, string>} arrival
 */
function needsOf(arrival) {
  if (arrival['study'] === 'untimed') return null;
  return { width: 600, height: 500, refresh_hz: Number(arrival['hz'] ?? 20), keyboard: true };
}

/** @param {string} language @param {Record<string, string>} arrival @returns {Screen} */
export function consentScreen(language, arrival) {
  return {
    screen: 'consent',
    language,
    study: STUDY,
    paragraphs: [
      'You will look at images of landscapes. Some are photographs, some were made by a computer. We ask what you think of them.',
      'We keep your answers and the times at which you gave them. We do not keep your name.',
    ],
    text: 'a0b1c2d3',
    minimum_age: arrival['age'] === 'none' ? null : 18,
    languages: ['en', 'de', 'es', 'zh', 'ar'],
    minutes: 12,
    pay: { currency: 'USD', base: '1.00', per_correct: '0.02' },
    needs: needsOf(arrival),
  };
}

/** @param {string} language @param {string} reason @returns {Screen} */
export function closedScreen(language, reason) {
  return { screen: 'closed', language, study: STUDY, reason: /** @type {any} */ (reason) };
}

/** A session, from consent to the end. */
export class Session {
  /** @type {"instructions" | "trials" | "completed" | "disqualified" | "left"} */
  at = 'instructions';
  place = 0;
  showing = 0;
  /** @type {Environment | null} */
  environment = null;
  /** Every accepted report, in order. @type {{ to: string, body: AnswerBody | DisturbedBody }[]} */
  taken = [];
  /** The number of repeated reports. */
  repeated = 0;
  /** @type {Map<string, Buffer>} */
  images = new Map();
  /** @type {Map<string, boolean | null>} */
  #receipts = new Map();
  /** @type {ScreenTrial | null} */
  #trial = null;
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
    const every = { language: this.language, study: STUDY };
    const timed = this.arrival['study'] !== 'untimed';
    if (this.at === 'instructions') {
      return {
        ...every,
        screen: 'instructions',
        paragraphs: ['Look at each image and answer the questions about it.', 'Go with your first impression.'].map(
          (text) => [{ text, language: null }],
        ),
        test: null,
        minutes: 4,
        pay: null,
        questions: this.templates[0]?.questions ?? [],
        examples: [],
        comprehension: null,
        timed,
        flashes: timed,
        needs: needsOf(this.arrival),
      };
    }
    if (this.at === 'trials') {
      const trial = this.trial();
      const progress = { answered: this.place, at_most: this.templates.length };
      return { ...every, screen: 'trial', trial, block: [...this.images.keys()].sort(), progress, following: null };
    }
    const paid = this.at === 'left' ? null : { currency: 'USD', base: '1.00', bonus: '0.38' };
    return {
      ...every,
      screen: 'end',
      ending: this.at,
      earned: paid,
      code: this.at === 'completed' ? 'C7XK-9QPD' : null,
      redirect: this.at === 'completed' ? (this.arrival['redirect'] ?? null) : null,
      next_rater: false,
    };
  }

  /** @returns {ScreenTrial} the trial that is due; the same until it is reported */
  trial() {
    if (this.#trial !== null) return this.#trial;
    const template = /** @type {Template} */ (this.templates[this.place]);
    this.#trial = {
      number: this.place,
      showing: this.showing,
      phase: template.phase ?? 'main',
      block: 0,
      block_trials: this.templates.length,
      in_block: this.place,
      rest_ms: this.showing === 0 ? (template.rest ?? null) : null,
      parts: resized(this.#parts(template), sizeOf(this.arrival['images'])),
      questions: template.questions,
      answer_after_ms: 200,
      feedback_ms: template.feedback ?? null,
    };
    return this.#trial;
  }

  /** @param {Template} template */
  #parts(template) {
    const token = (/** @type {Look} */ look) => this.#token(look);
    if (template.block === undefined) {
      this.images.clear();
      return template.parts(token);
    }
    if (!this.#block.has(template)) {
      this.images.clear();
      for (const one of this.templates) if (one.block === template.block) this.#block.set(one, one.parts(token));
    }
    // Images that were shown are not shown again: a repeated trial has other images.
    return this.showing === 0 ? (this.#block.get(template) ?? []) : template.parts(token);
  }

  /** @param {Look} look */
  #token(look) {
    const bytes = randomBytes(16);
    const token = bytes.toString('hex');
    this.images.set(token, draw(look, bytes.readUInt32BE(0), sizeOf(this.arrival['images'])));
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
