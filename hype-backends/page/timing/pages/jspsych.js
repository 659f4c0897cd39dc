/** The same trials as jsPsych's documentation recommends: preloaded images, each a separate trial. */

/** @typedef {import("../trials.js").Trial} Trial */

const FIXATION_MS = 300;
const PAUSE_MS = 200;

/** @type {any} the scripts of jsPsych are globals */
const globals = window;

/** @param {Trial[]} trials */
async function bench(trials) {
  const { initJsPsych, jsPsychPreload, jsPsychImageKeyboardResponse, jsPsychHtmlKeyboardResponse } = globals;
  const jsPsych = initJsPsych({ display_element: 'target' });
  /** @type {(stimulus: string, ms: number) => object} */
  const html = (stimulus, ms) => ({
    type: jsPsychHtmlKeyboardResponse,
    stimulus,
    choices: 'NO_KEYS',
    trial_duration: ms,
  });
  /** @type {(name: string, ms: number) => object} */
  const image = (name, ms) => ({
    type: jsPsychImageKeyboardResponse,
    stimulus: `image/${name}`,
    choices: 'NO_KEYS',
    trial_duration: ms,
  });
  const names = trials.flatMap(({ stimulus, masks }) => [stimulus, ...masks]);
  await jsPsych.run([
    { type: jsPsychPreload, images: names.map((name) => `image/${name}`) },
    ...trials.flatMap(({ stimulus, exposureMs, masks, maskMs }) => [
      html('', PAUSE_MS),
      html('1', FIXATION_MS),
      image(stimulus, exposureMs),
      ...masks.map((mask) => image(mask, maskMs)),
    ]),
    html('', PAUSE_MS),
  ]);
  return [];
}

Object.assign(window, { bench });
