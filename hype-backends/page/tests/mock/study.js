// The mock study: a trial of every kind, so that each form is answered once.

/**
 * @import { ChoiceOption, ScreenPart, ScreenQuestion } from "../../page.js"
 * @import { Look } from "./pictures.js"
 */

/**
 * A trial before it is shown; `image(look)` draws a token.
 * @typedef {object} Template
 * @property {(image: (look: Look) => string) => ScreenPart[]} parts
 * @property {ScreenQuestion[]} questions
 * @property {"qualification" | "practice" | "main"} [phase]
 * @property {string} [block] loaded as a whole
 * @property {number} [rest]
 * @property {number} [feedback]
 * @property {Record<string, unknown>} [right]
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

/** @param {string} value @param {string} label @param {string | null} [key] @returns {ChoiceOption} */
const option = (value, label, key = null) => ({ value, label, key });

/** @param {string} id @param {string} text @param {ScreenQuestion["form"]} form @param {string | null} [help] @returns {ScreenQuestion} */
const ask = (id, text, form, help = null) => ({ id, text, help, form, language: null });

/** @param {string} token @param {number | null} exposure_ms @returns {ScreenPart} its size is the session's */
const image = (token, exposure_ms) => ({ part: 'image', image: token, width: 0, height: 0, exposure_ms });

/**
 * The same parts with images of this size.
 * @param {ScreenPart[]} parts
 * @param {Size} size
 * @returns {ScreenPart[]}
 */
export function resized(parts, size) {
  return parts.map((part) => {
    if (part.part === 'image') return { ...part, ...size };
    return part.part === 'gallery' ? { ...part, images: part.images.map((one) => ({ ...one, ...size })) } : part;
  });
}

/** @param {string[]} tokens @param {number | null} exposure_ms @returns {ScreenPart} */
const gallery = (tokens, exposure_ms) => ({
  part: 'gallery',
  exposure_ms,
  images: tokens.map((token, place) => ({ label: 'ABCDEF'.charAt(place), image: token, width: 0, height: 0 })),
});

/** @param {number} count */
const letters = (count) => [...'ABCDEF'.slice(0, count)].map((letter) => option(letter, letter, letter.toLowerCase()));

/** @param {string[]} labels */
const scale = (labels) => ({ choice: { options: labels.map((label, place) => option(String(place + 1), label)) } });

const JUDGMENT = ask('judgment', 'Is this image real or fake?', {
  choice: { options: [option('real', 'Real', 'r'), option('generated', 'Fake', 'f')] },
});

const ALIGNMENT = ask(
  'alignment',
  'How well does the image match the description?',
  scale([
    'Does not match at all',
    'Has significant discrepancies',
    'Has several minor discrepancies',
    'Has a few minor discrepancies',
    'Matches exactly',
  ]),
  'Compare every object, colour and relation of the description with what you see.',
);

const CLARITY = ask(
  'clarity',
  'Is it clear what the subject of the image is?',
  scale(["No, it's unclear", 'Hard to tell', "Yes, it's clear"]),
);

/** @returns {Template} */
const judged = () => ({ parts: (draw) => [image(draw('picture'), null)], questions: [JUDGMENT] });

/** @param {number} exposure @returns {Template} */
const flashed = (exposure) => ({
  parts: (draw) => [
    { part: 'countdown', from: 3, each_ms: 300 },
    image(draw('picture'), exposure),
    { part: 'masks', images: [draw('noise'), draw('noise'), draw('noise')], each_ms: 30 },
  ],
  questions: [JUDGMENT],
  block: 'timed',
  feedback: 500,
  right: { judgment: 'real' },
});

/** @type {Template[]} */
const UNTIMED = [
  { ...judged(), phase: 'practice', feedback: 600, right: { judgment: 'generated' } },
  {
    parts: (draw) => [
      {
        part: 'condition',
        kind: 'prompt',
        label: null,
        text: 'A low sun over green hills, seen from a train',
        image: null,
      },
      gallery([draw('picture'), draw('picture')], null),
    ],
    questions: [
      ask('better', 'Which image is better?', {
        choice: {
          options: [...letters(2), option('tie', 'Equally good', 't'), option('both-bad', 'Both are bad', 'n')],
        },
      }),
    ],
  },
  {
    parts: (draw) => [gallery([draw('picture'), draw('picture'), draw('picture'), draw('picture')], null)],
    questions: [ask('best', 'Which image is the most realistic?', { choice: { options: letters(4) } })],
  },
  {
    parts: (draw) => [gallery([draw('picture'), draw('picture'), draw('picture')], null)],
    questions: [
      ask('order', 'Rank the images from best to worst.', { ranking: { candidates: letters(3), ties: true } }),
    ],
  },
  {
    parts: (draw) => [gallery([draw('picture'), draw('picture'), draw('picture'), draw('picture')], null)],
    questions: [ask('strict', 'Rank the images without ties.', { ranking: { candidates: letters(4), ties: false } })],
  },
  {
    parts: (draw) => [
      {
        part: 'condition',
        kind: 'prompt',
        label: null,
        text: 'A low sun over green hills, seen from a train',
        image: null,
      },
      image(draw('picture'), null),
    ],
    questions: [
      ALIGNMENT,
      CLARITY,
      ask('quality', 'How good is the image, from 0 to 100?', { number: { minimum: 0, maximum: 100, whole: true } }),
    ],
  },
  {
    parts: (draw) => [
      { part: 'condition', kind: 'instruction', label: null, text: 'Put a second sun into the sky.', image: null },
      { part: 'condition', kind: 'source', label: null, text: null, image: draw('picture') },
      { part: 'condition', kind: 'mask', label: null, text: null, image: draw('region') },
      { part: 'condition', kind: 'subject', label: 'sun', text: null, image: draw('picture') },
      { part: 'condition', kind: 'control', label: null, text: null, image: draw('edges') },
      image(draw('picture'), null),
    ],
    questions: [
      ask('consistency', 'Does the image follow the instruction?', scale(['No', 'Partly', 'Yes'])),
      ask('share', 'Which share of the image looks natural?', { number: { minimum: 0, maximum: 1, whole: false } }),
    ],
  },
  { ...judged(), rest: 20_000 },
];

/** @type {Template[]} */
const TIMED = [
  { ...flashed(500), phase: 'qualification', rest: 20_000 },
  flashed(250),
  flashed(100),
  {
    block: 'timed',
    parts: (draw) => [{ part: 'countdown', from: 1, each_ms: 300 }, gallery([draw('picture'), draw('picture')], 400)],
    questions: [ask('brief', 'Which image was real?', { choice: { options: letters(2) } })],
  },
];

/**
 * The trials of a study by its name: `all`, `untimed` or `timed`.
 * @param {string} name
 * @returns {Template[]}
 */
export function templates(name) {
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
  const { candidates, ties } = form.ranking;
  if (ranks.size !== candidates.length || !candidates.every((one) => ranks.has(one.value)))
    return `${id}: not every candidate`;
  const distinct = new Set(ranks.values());
  const dense = [...distinct].every((rank) => rank >= 1 && rank <= distinct.size);
  return dense && (ties || distinct.size === ranks.size) ? null : `${id}: ranks with gaps or ties`;
}
