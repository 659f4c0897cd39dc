// The mock study: trials of every kind as the program says them: each form is answered once. The exchanges are
// recorded by `exchanges_are_current` in hype-backends/tests.

import { readFileSync } from 'node:fs';

/**
 * @import { Answer, Playback, Screen, ScreenPart, ScreenQuestion, ScreenTrial } from "../../page.js"
 * @import { Look } from "./pictures.js"
 */

/** What the program was asked, and what it said. @typedef {{ action: string, asked: any, said: any, status: number }} Exchange */

/** By study. @type {Record<string, Exchange[]>} */
const EXCHANGES = JSON.parse(readFileSync(new URL('exchanges.json', import.meta.url), 'utf8'));

/** A file that is served as it is. @typedef {{ type: string, bytes: Buffer }} Served */

/**
 * A trial before it is shown; `image(look)` draws a token.
 * @typedef {object} Template
 * @property {(image: (look: Look | Served) => string) => ScreenPart[]} parts
 * @property {ScreenQuestion[]} questions
 * @property {ScreenTrial["phase"]} phase
 * @property {string | null} block loaded as a whole
 * @property {number | null} rest
 * @property {number | null} feedback
 * @property {number} answerAfter
 * @property {Answer | null} right
 * @property {Playback} [playback] of clips or texts
 */

/**
 * The size of every image, in pixels.
 * @typedef {{ width: number, height: number }} Size
 */

/** @type {Size} */
const SIZE = { width: 256, height: 256 };

/**
 * The size that the address asks for, such as `1536x1024`.
 * @param {string | undefined} asked
 * @returns {Size}
 */
export function sizeOf(asked) {
  const [, width, height] = /^(\d+)x(\d+)$/.exec(asked ?? '') ?? [];
  return width === undefined ? SIZE : { width: Number(width), height: Number(height) };
}

/**
 * The same parts with images of this size.
 * @param {ScreenPart[]} parts
 * @param {Size} size
 * @returns {ScreenPart[]}
 */
export function resized(parts, size) {
  return parts.map((part) => {
    if (part.part === 'image') return part.media ? part : { ...part, ...size };
    if (part.part !== 'gallery') return part;
    return { ...part, images: part.images.map((one) => (one.media ? one : { ...one, ...size })) };
  });
}

/**
 * The first screen of a kind that the program showed in a study.
 * @param {string} study
 * @param {Screen["screen"]} kind
 * @param {string} [ending] of end screens
 * @returns {any}
 */
export function recorded(study, kind, ending) {
  const screens = (EXCHANGES[study] ?? []).map(({ said }) => said.next ?? said);
  const found = screens.find((said) => said.screen === kind && (ending === undefined || said.ending === ending));
  if (found === undefined) throw new Error(`no ${kind} of ${study} is recorded`);
  return found;
}

/** What images of conditions look like. @type {Map<string, Look>} */
const LOOKS = new Map([
  ['mask', 'region'],
  ['control', 'edges'],
]);

/**
 * Recorded parts with new images in place of the recorded ones.
 * @param {ScreenPart[]} parts
 * @param {(look: Look) => string} draw
 * @returns {ScreenPart[]}
 */
function redrawn(parts, draw) {
  /** @type {Map<string, string>} */
  const tokens = new Map();
  const token = (/** @type {string} */ name, /** @type {Look} */ look) => {
    const drawn = tokens.get(name) ?? draw(look);
    tokens.set(name, drawn);
    return drawn;
  };
  return parts.map((part) => {
    if (part.part === 'image') return { ...part, image: token(part.image, 'picture') };
    if (part.part === 'masks') return { ...part, images: part.images.map((name) => token(name, 'noise')) };
    if (part.part === 'gallery') {
      return { ...part, images: part.images.map((one) => ({ ...one, image: token(one.image, 'picture') })) };
    }
    if (part.part !== 'condition' || part.image === null) return part;
    return { ...part, image: token(part.image, LOOKS.get(part.kind) ?? 'picture') };
  });
}

/**
 * The right answer by the feedback to a given one: with one of two options wrong, the other is right.
 * @param {ScreenTrial} trial
 * @param {Answer} given
 * @param {boolean | null} correct
 * @returns {Answer | null}
 */
function rightAnswer(trial, given, correct) {
  if (correct !== false) return correct ? given : null;
  const [question] = trial.questions;
  if (question === undefined || !('choice' in question.form)) throw new Error('feedback on no choice');
  const other = question.form.choice.options.find(({ value }) => value !== given[question.id]);
  return { [question.id]: other?.value ?? '' };
}

/** The trials of a study that were answered, in order. @param {string} study @returns {Template[]} */
function trialsOf(study) {
  /** @type {Template[]} */
  const found = [];
  /** @type {ScreenTrial | null} */
  let trial = null;
  for (const { action, asked, said } of EXCHANGES[study] ?? []) {
    if (action === 'answer' && trial !== null) {
      const { parts, questions, phase, rest_ms, feedback_ms, answer_after_ms } = trial;
      const timed = parts.some((part) => 'exposure_ms' in part && part.exposure_ms !== null);
      found.push({
        parts: (draw) => redrawn(parts, draw),
        questions,
        phase,
        block: timed ? study : null,
        rest: rest_ms,
        feedback: feedback_ms,
        answerAfter: answer_after_ms,
        right: rightAnswer(trial, asked.answer, said.correct),
      });
    }
    const screen = said.next ?? said;
    trial = screen.screen === 'trial' ? screen.trial : null;
  }
  return found;
}

/** @param {string} study @param {number} [number] @returns {Template} */
function trialOf(study, number = 0) {
  const found = trialsOf(study)[number];
  if (found === undefined) throw new Error(`trial ${number} of ${study} is not recorded`);
  return found;
}

const UNTIMED = [
  trialOf('judgment'),
  trialOf('contrast'),
  trialOf('best-of'),
  trialOf('ranking-with-ties'),
  trialOf('ranking'),
  trialOf('questions'),
  trialOf('editing'),
  trialOf('rest', 1),
];

const TIMED = trialsOf('timed').slice(0, 4);

/** The studies of single tests. @type {Map<string, Template[]>} */
const OFFERED = new Map();

/** Offers a study of these trials. @param {string} name @param {Template[]} trials */
export const offer = (name, trials) => void OFFERED.set(name, trials);

/**
 * The trials of a study by its name: `all`, `untimed`, `timed` or one that a test offers.
 * @param {string} name
 * @returns {Template[]}
 */
export function templates(name) {
  const offered = OFFERED.get(name);
  if (offered !== undefined) return offered;
  if (name === 'untimed') return UNTIMED;
  return name === 'timed' ? TIMED : [...UNTIMED, ...TIMED];
}

/**
 * Why a value is not a valid answer to a question; `null` if it is.
 * @param {ScreenQuestion} question
 * @param {unknown} value
 * @returns {string | null}
 */
export function faultOf({ id, form }, value) {
  if ('choice' in form) {
    return form.choice.options.some((one) => one.value === value) ? null : `${id}: no such option`;
  }
  if ('number' in form) {
    const { minimum, maximum, whole } = form.number;
    const fits =
      typeof value === 'number' && value >= minimum && value <= maximum && (!whole || Number.isInteger(value));
    return fits ? null : `${id}: not a number from ${minimum} to ${maximum}`;
  }
  if (typeof value !== 'object' || value === null) return `${id}: no ranking`;
  const ranks = new Map(Object.entries(value));
  if (!('ranking' in form)) return null;
  const { candidates, ties } = form.ranking;
  if (ranks.size !== candidates.length || !candidates.every((one) => ranks.has(one.value)))
    return `${id}: not every candidate`;
  const distinct = new Set(ranks.values());
  const dense = [...distinct].every((rank) => rank >= 1 && rank <= distinct.size);
  return dense && (ties || distinct.size === ranks.size) ? null : `${id}: ranks with gaps or ties`;
}
