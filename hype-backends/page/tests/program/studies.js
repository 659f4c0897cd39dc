// A small study for every task and every rubric, over the images of `../drawn`.

import { fileURLToPath } from 'node:url';

/** @typedef {Record<string, unknown> & { name: string }} Spec */

const PROMPT = 'A still life of painted balls on a table, lit from one side';
const INSTRUCTION = 'Turn the photograph into a painting, and leave the balls where they are';

/** @param {string} set @param {string} files */
const drawn = (set, files) => `../drawn/images/${set}/${files}.png`;

/** @param {string} files */
export const real = (files) => ({ role: 'real', images: drawn('real', files) });

/** Sets of generated images. @param {string[]} models @param {string} files */
export const generated = (models, files) =>
  Object.fromEntries(models.map((model) => [model, { role: 'generated', images: drawn(model, files) }]));

/** The conditions that an item can have, by its number. @type {Record<string, (item: string) => unknown>} */
const CONDITIONS = {
  prompt: () => PROMPT,
  instruction: () => INSTRUCTION,
  source: (item) => drawn('real', item),
  mask: () => '../drawn/region.png',
  control: () => '../drawn/edges.png',
  subjects: (item) => [
    { name: 'ball', image: drawn('real', item) },
    { name: 'table', image: drawn('good', item) },
  ],
  subject: (item) => [{ name: 'ball', image: drawn('real', item) }],
};

/** Items with these conditions. @param {string[]} names @param {string[]} conditions */
const items = (names, conditions) => ({
  list: names.map((item) => ({
    item,
    ...Object.fromEntries(conditions.map((kind) => [kind === 'subject' ? 'subjects' : kind, CONDITIONS[kind]?.(item)])),
  })),
});

const COMMON = { seed: 5 };
const RATERS = 3;

/**
 * Images rated one by one, all by every rater.
 * @param {string} name
 * @param {Record<string, unknown>} rubric
 * @param {{ conditions?: string[], task?: Record<string, unknown>, sets?: Record<string, unknown> }} [more]
 * @returns {Spec}
 */
function rating(name, rubric, { conditions = [], task = {}, sets = {} } = {}) {
  return {
    ...COMMON,
    name,
    stimuli: { ...generated(['good', 'weak'], '0001'), ...sets },
    ...(conditions.length > 0 ? { items: items(['0001'], conditions) } : {}),
    task: { kind: 'rating', ...task },
    rubric,
    raters: { per_item: RATERS },
  };
}

/**
 * Models' outputs for the same items, side by side.
 * @param {string} name
 * @param {Record<string, unknown>} task
 * @param {string[]} models
 * @param {Record<string, unknown>} [rubric]
 * @param {string[]} [conditions]
 * @returns {Spec}
 */
export function sideBySide(name, task, models, rubric, conditions = ['prompt']) {
  return {
    ...COMMON,
    name,
    stimuli: generated(models, '000[1-4]'),
    items: items(['0001', '0002', '0003', '0004'], conditions),
    task: { per_session: 4, ...task },
    ...(rubric === undefined ? {} : { rubric }),
    raters: { per_item: RATERS },
  };
}

/** @param {string} kind @param {string[]} conditions */
const imagenhub = (kind, conditions) =>
  rating(kind.replaceAll('_', '-'), { kind: `imagenhub.${kind}` }, { conditions });

/** @param {string} aspect @param {string[]} [conditions] */
const heim = (aspect, conditions = []) =>
  rating(`heim-${aspect.replaceAll('_', '-')}`, { kind: `heim.${aspect}` }, { conditions });

const LIKERT = {
  kind: 'likert',
  questions: [
    {
      id: 'realism',
      text: 'How realistic is the image?',
      help: 'Think of a photograph of the same scene: how likely is it that somebody took it?',
      options: ['Not at all', 'Slightly', 'Moderately', 'Very', 'Completely'],
    },
    {
      id: 'quality',
      text: 'How good is the image, from 0 to 100?',
      number: { minimum: 0, maximum: 100, whole: true },
    },
  ],
};

/** The pay of the studies that pay. */
const PAYMENT = { currency: 'USD', base: 1.5, per_correct: 0.02 };

/** Everyone passes the entry test. */
const ENTRY = { trials: 2, pass: { rule: 'overall', at_least: 0 } };

/**
 * HYPE-infinity: real or fake, with an entry test.
 * @param {{ qualification?: unknown, raters?: number }} [more]
 * @returns {Spec}
 */
export const hypeInfinity = ({ qualification = ENTRY, raters = RATERS } = {}) => ({
  ...COMMON,
  name: 'hype-infinity',
  stimuli: { real: real('*'), ...generated(['good'], '*') },
  task: { kind: 'hype_infinity', generated: 2, real: 2 },
  raters: { per_model: raters, qualification, payment: PAYMENT },
});

export const likert = rating('likert', LIKERT, {
  sets: generated(['good', 'weak'], '000[12]'),
  task: { rest_every: 2, rest_s: 20 },
});

export const heimImage = rating('heim-image', { kind: 'heim.image' }, { conditions: ['prompt'] });

export const editing = imagenhub('mask_guided_editing', ['instruction', 'source', 'mask']);

export const composition = imagenhub('multi_concept_composition', ['prompt', 'subjects']);

export const ccr = rating(
  'opinion-ccr',
  { kind: 'opinion', method: 'ccr' },
  { conditions: ['source'], task: { reference: 'beside' } },
);

export const contrast = sideBySide('contrast', { kind: 'contrast', tie: true, both_bad: true }, ['good', 'weak']);

export const contrastEach = sideBySide(
  'contrast-criteria',
  {
    kind: 'contrast',
    both_bad: true,
    criteria: [
      'realism',
      { name: 'fit', question: 'Which image fits the description better?', tie: true },
      { name: 'quality', grades: 'ccr' },
    ],
  },
  ['good', 'weak'],
);

/** Everything that a study of comparisons can ask: criteria, reasons, surveys, gold comparisons and repeats, and a step back. */
export const complete = /** @type {Spec} */ ({
  ...sideBySide(
    'complete',
    {
      kind: 'contrast',
      per_session: 4,
      tie: true,
      criteria: [
        'realism',
        { name: 'fit', question: 'Which image fits the description better?' },
        { name: 'quality', grades: 'ccr' },
      ],
      gold: { better: 'photographs', worse: 'worst', per_session: 2, attentive: 0.99, failing: 'flag' },
      repeats: { per_session: 2, apart: 1, attentive: 0.99 },
    },
    ['good', 'weak'],
  ),
  before: ['age', 'gender', { kind: 'expertise', of: 'art' }, 'colour_vision'],
  beside: [{ id: 'why', text: 'Why?', answer: { text: 200 }, required: { after: 'realism', any_of: ['tie'] } }],
  after: [
    'nasa_tlx',
    {
      kind: 'questions',
      questions: [
        {
          id: 'looked',
          text: 'What did you look at?',
          answer: { several: { options: ['Colours', 'Shapes', 'Text'], at_most: 2 } },
        },
        {
          id: 'age',
          text: 'How many hours a week do you look at art?',
          answer: { number: { minimum: 0, maximum: 100 } },
        },
      ],
    },
    'comments',
  ],
  corrections: true,
  raters: { per_item: RATERS },
});
complete.stimuli = {
  .../** @type {object} */ (complete.stimuli),
  photographs: { ...real('000[1-4]'), use: 'gold' },
  worst: { role: 'generated', images: drawn('middling', '000[1-4]'), use: 'gold' },
};

export const ranking = sideBySide('ranking', { kind: 'ranking', ties: true }, ['good', 'middling', 'weak']);

export const bestOf = sideBySide('best-of', { kind: 'best_of' }, ['good', 'middling', 'weak']);

export const bestOfEach = sideBySide(
  'best-of-criteria',
  { kind: 'best_of', criteria: ['realism', 'colour'] },
  ['good', 'middling', 'weak'],
  { kind: 'best_of', criteria: ['realism', 'colour'] },
);

/** All studies without time limits. @type {Spec[]} */
export const UNTIMED = [
  hypeInfinity(),
  likert,
  heimImage,
  heim('alignment', ['prompt']),
  rating('heim-photorealism', { kind: 'heim.photorealism' }, { task: { real: true }, sets: { real: real('0001') } }),
  heim('subject_clarity'),
  heim('aesthetics'),
  heim('originality', ['prompt']),
  imagenhub('text_guided_generation', ['prompt']),
  imagenhub('text_guided_editing', ['instruction', 'source']),
  editing,
  imagenhub('subject_driven_generation', ['prompt', 'subject']),
  imagenhub('subject_driven_editing', ['source', 'subject']),
  composition,
  imagenhub('control_guided_generation', ['prompt', 'control']),
  rating('opinion-acr', { kind: 'opinion' }),
  rating('opinion-dcr', { kind: 'opinion', method: 'dcr' }, { conditions: ['source'] }),
  ccr,
  contrast,
  contrastEach,
  ranking,
  sideBySide('ranking-strict', { kind: 'ranking', ties: false }, ['good', 'middling', 'weak']),
  bestOf,
  bestOfEach,
  {
    ...fooling({ exposure_ms: null }),
    name: 'fooling-untimed',
    raters: { per_model: RATERS },
  },
];

/** The timed studies' requirements on a rater's screen: lower than the default, since test machines are slow. */
export const NEEDS = { width: 640, height: 480, refresh_hz: 20 };

/**
 * HYPE-time, with everything around its trials.
 * @param {{ raters?: number, models?: string[] }} [more]
 * @returns {Spec}
 */
export const hypeTime = ({ raters = 2, models = ['good'] } = {}) => ({
  ...COMMON,
  name: 'hype-time',
  stimuli: { real: real('*'), ...generated(models, '*') },
  task: {
    kind: 'hype_time',
    blocks: 2,
    trials_per_block: 2,
    exposure: { floor_ms: 100, ceiling_ms: 500, start_ms: 200 },
    countdown: { from: 2, each_ms: 200 },
    masks: { count: 3, each_ms: 30 },
    feedback_ms: 400,
    rest_s: 20,
  },
  masks: { count: 4, iterations: 2 },
  raters: { per_model: raters, qualification: ENTRY, payment: PAYMENT },
});

const ANSWERS = fileURLToPath(new URL('../../../../examples/studies/answers/', import.meta.url));

/** Texts that are shown for seconds. @type {Spec} */
export const timedTexts = {
  name: 'timed-texts',
  seed: 5,
  stimuli: {
    real: { role: 'real', texts: `${ANSWERS}plain/*.md` },
    florid: { role: 'generated', texts: `${ANSWERS}florid/*.md` },
  },
  task: {
    kind: 'hype_time',
    blocks: 1,
    trials_per_block: 4,
    exposure: { floor_ms: 500, ceiling_ms: 2000, start_ms: 1000 },
    countdown: { from: 2, each_ms: 200 },
  },
  raters: { per_model: 1, qualification: null, payment: null },
};

/** Which of two is real. @param {Record<string, unknown>} [more] @param {number} [raters] @returns {Spec} */
export function fooling(more = {}, raters = 2) {
  return {
    ...COMMON,
    name: 'fooling',
    stimuli: { real: real('*'), ...generated(['good'], '*') },
    task: { kind: 'fooling', trials: 3, practice: 2, feedback_ms: 400, exposure_ms: 300, ...more },
    raters: { per_model: raters },
  };
}

/** A study of every task without time limits, for so many raters. @param {number} raters */
export const untimed = (raters) => [
  hypeInfinity({ raters }),
  ...[likert, heimImage, editing, composition, ccr, contrast, contrastEach, ranking, bestOf, bestOfEach].map(
    (spec) => ({
      ...spec,
      raters: { per_item: raters },
    }),
  ),
];
