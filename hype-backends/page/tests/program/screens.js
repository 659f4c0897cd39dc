// What a rater sees of a trial without moving anything: how large what is judged is, whether the way on is in sight, and whether
// the layout favours an answer.

import * as study from './studies.js';

/**
 * @import { Page } from "playwright-core"
 * @import { Spec } from "./studies.js"
 */

/** A width and a height in pixels. @typedef {{ width: number, height: number }} Size */

/**
 * What is seen of a trial.
 * @typedef {object} Seen
 * @property {Size} judged the size of the smallest judged image, in CSS pixels
 * @property {boolean} next whether everything by which the rater goes on is in sight
 * @property {string[]} faults
 */

/** Windows of laptops, of a large screen and of a phone. @type {Size[]} */
export const WINDOWS = [
  { width: 1366, height: 625 },
  { width: 1366, height: 768 },
  { width: 1920, height: 1080 },
  { width: 390, height: 844 },
];

/** Sizes of images. @type {Size[]} */
export const IMAGES = [
  { width: 64, height: 64 },
  { width: 512, height: 512 },
  { width: 1024, height: 1024 },
  { width: 1536, height: 1024 },
];

/** @param {Size} size */
export const written = ({ width, height }) => `${width} × ${height}`;

const CRITERIA = [
  'realism',
  { name: 'fit', question: 'Which image fits better?', tie: true },
  { name: 'quality', grades: 'ccr' },
];
const MODELS = ['good', 'middling', 'weak'];

/** @type {string[][]} */
const GIVEN = [[], ['prompt'], ['source'], ['prompt', 'source']];

/**
 * A comparison with one to three criteria, of images with these conditions.
 * @param {"contrast" | "best_of"} kind
 * @param {number} criteria
 * @param {string[]} given
 */
export function compared(kind, criteria, given) {
  const name = [kind.replace('_', '-'), ...given, `criteria-${criteria}`].join('-');
  const asked = kind === 'contrast' ? CRITERIA : ['realism', 'fit', 'colour'];
  const more = criteria === 1 ? {} : { criteria: asked.slice(0, criteria) };
  const task = kind === 'contrast' && criteria === 1 ? { kind, tie: true } : { kind, ...more };
  return study.sideBySide(name, task, kind === 'contrast' ? ['good', 'weak'] : MODELS, undefined, given);
}

/** A ranking of images with these conditions. @param {string[]} given */
export const ranked = (given) =>
  study.sideBySide(['ranking', ...given].join('-'), { kind: 'ranking', ties: true }, MODELS, undefined, given);

/** Every task without a time limit, with and without a prompt and a source, with one to three criteria, and surveys before. @type {Spec[]} */
export const SCREENED = [
  ...study.UNTIMED.filter(({ task }) => {
    const { kind } = /** @type {{ kind: string }} */ (task);
    return !['contrast', 'best_of', 'ranking'].includes(kind);
  }),
  ...GIVEN.flatMap((given) => [
    ...[1, 2, 3].flatMap((criteria) => [compared('contrast', criteria, given), compared('best_of', criteria, given)]),
    ranked(given),
  ]),
  { ...compared('contrast', 1, ['prompt', 'source']), name: 'contrast-after-surveys', before: ['age', 'gender'] },
];

/**
 * Looks at a trial as it first appears.
 * @param {Page} page
 * @returns {Promise<Seen>}
 */
export function look(page) {
  return page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    /** @type {string[]} */
    const faults = [];
    /** Whether all of an element is in sight. @param {Element} element */
    const isSeen = (element) => {
      const box = element.getBoundingClientRect();
      for (let around = element.parentElement; around !== null; around = around.parentElement) {
        const isWindow = around === document.body;
        if (!isWindow && getComputedStyle(around).overflowY === 'visible') continue;
        const clip = isWindow ? new DOMRect(0, 0, innerWidth, innerHeight) : around.getBoundingClientRect();
        if (box.left < clip.left - 1 || box.right > clip.right + 1) return false;
        if (box.top < clip.top - 1 || box.bottom > clip.bottom + 1) return false;
      }
      return box.width > 0 && box.height > 0;
    };
    const spread = (/** @type {number[]} */ numbers) => Math.max(...numbers) - Math.min(...numbers);
    const images = [...document.querySelectorAll('.trial img.scaled')];
    const judged = images.filter((image) => image.closest('.condition') === null);
    for (const image of images) if (!isSeen(image)) faults.push('an image is cut');
    const sizes = judged.map((image) => image.getBoundingClientRect());
    const captions = new Map();
    for (const image of images) {
      const { top, height } = image.getBoundingClientRect();
      const caption = image.closest('figure, button')?.querySelector('figcaption, .caption');
      if (!caption) continue;
      const level = `${Math.round(top)} ${Math.round(height)}`;
      captions.set(level, [...(captions.get(level) ?? []), caption.getBoundingClientRect().top]);
    }
    for (const tops of captions.values())
      if (spread(tops) > 1) faults.push(`captions stand at ${tops.map(Math.round)}`);
    for (const field of document.querySelectorAll('.questions [data-form]')) {
      for (const kind of ['.option', '.answer', '.picture', '.card.waiting']) {
        const options = [...field.querySelectorAll(kind)];
        const boxes = options.map((option) => option.getBoundingClientRect());
        if (options.length < 2) continue;
        const widths = boxes.map(({ width }) => width);
        if (spread(widths) > 1) faults.push(`${kind} differ in width: ${widths.map(Math.round)}`);
        const lines = new Set(boxes.map(({ top }) => Math.round(top))).size;
        if (kind === '.card.waiting' || kind === '.picture') continue;
        if (spread(boxes.map(({ height }) => height)) > 1) faults.push(`${kind} differ in height`);
        if (lines !== 1 && lines !== options.length) faults.push(`${options.length} ${kind} stand in ${lines} lines`);
      }
      const buttons = [...field.querySelectorAll('.answer, button.picture')].map((one) => getComputedStyle(one));
      const fills = new Set(buttons.map(({ backgroundColor }) => backgroundColor));
      const edges = new Set(buttons.map(({ borderTopColor }) => borderTopColor));
      const filled = getComputedStyle(document.body).getPropertyValue('--strong').trim();
      const probe = document.body.appendChild(document.createElement('i'));
      probe.style.color = filled;
      if (fills.size > 1 && fills.has(getComputedStyle(probe).color))
        faults.push('one option is filled, and others are not');
      probe.remove();
      if ([...edges].some((color) => /^rgba\(.*, 0\)$/.test(color))) faults.push('an image to press has no frame');
    }
    for (const box of document.querySelectorAll('.asking, .condition-text')) {
      const isScrolled = box.scrollHeight > box.clientHeight + 1 && getComputedStyle(box).overflowY !== 'visible';
      if (isScrolled && box.getAttribute('data-more') !== 'true') faults.push(`no sign that ${box.className} goes on`);
    }
    const ways = [
      ...document.querySelectorAll('.questions button[type=submit], .questions :is(.answer, button.picture)'),
    ];
    return {
      judged: {
        width: Math.round(Math.min(...sizes.map(({ width }) => width))),
        height: Math.round(Math.min(...sizes.map(({ height }) => height))),
      },
      next: ways.length > 0 && ways.every(isSeen),
      faults,
    };
  });
}
