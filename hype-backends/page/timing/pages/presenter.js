/** The page under test: trials through the presenter, correct or with one of the faults that the judge must find. */

import { Disturbed } from '../../assets/disturbance.js';
import { Presenter } from '../../assets/presenter.js';
import { calibrate } from '../../assets/refresh.js';

/** @typedef {import("../trials.js").Trial} Trial */
/** @typedef {import("../../assets/planner.js").Part} Part */
/** @typedef {"none" | "long" | "missing" | "blank"} Fault */

const SIZE = 256;
const FIXATION_MS = 300;
const PAUSE_MS = 200;

/** @param {number} ms */
const wait = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/**
 * @param {Trial} trial
 * @param {Fault} fault
 * @param {number} frameMs
 * @returns {Part[]}
 */
function parts({ stimulus, exposureMs, masks, maskMs }, fault, frameMs) {
  /** @type {(image: string, exposure_ms: number) => Part} */
  const image = (name, ms) => ({ part: 'image', image: name, width: SIZE, height: SIZE, exposure_ms: ms });
  return [
    { part: 'countdown', from: 1, each_ms: FIXATION_MS },
    image(stimulus, fault === 'long' ? exposureMs + frameMs : exposureMs),
    ...(fault === 'blank' ? [image('grey', frameMs)] : []),
    { part: 'masks', images: fault === 'missing' ? masks.slice(1) : masks, each_ms: maskMs },
  ];
}

/** The calibration, which is kept between runs as the page keeps it between blocks. */
const fault = /** @type {Fault} */ (new URLSearchParams(location.search).get('fault') ?? 'none');
const calibration = await calibrate();
const presenter = new Presenter(/** @type {HTMLCanvasElement} */ (document.getElementById('canvas')), calibration);

/**
 * @param {Trial[]} trials
 * @returns {Promise<unknown[]>} the page's report of each trial: a display, or the reason why it is void
 */
async function bench(trials) {
  await presenter.load(['grey', ...trials.flatMap(({ stimulus, masks }) => [stimulus, ...masks])]);
  const told = [];
  for (const trial of trials) {
    await wait(PAUSE_MS);
    try {
      told.push((await presenter.show(parts(trial, fault, calibration.frame_us / 1000))).display);
    } catch (error) {
      if (!(error instanceof Disturbed)) throw error;
      told.push({ void: error.reason, ...error.display });
    }
  }
  await wait(PAUSE_MS);
  return told;
}

Object.assign(window, { bench });
