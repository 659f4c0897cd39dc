/** Shows the steps of a trial, each for its planned number of frames, on one long-lived canvas. */

import { Disturbed, Watch } from './disturbance.js';
import { DONE, Planner, plan } from './planner.js';
import { calibrate } from './refresh.js';
import { Stimuli } from './stimuli.js';
import { Surface } from './surface.js';

/** @typedef {import("./planner.js").Display} Display */
/** @typedef {import("./planner.js").Part} Part */
/** @typedef {import("./planner.js").Step} Step */
/** @typedef {import("./refresh.js").Calibration} Calibration */
/** @typedef {import("./surface.js").Picture} Picture */

/**
 * The result of a presentation.
 * @typedef {object} Presented
 * @property {Display | null} display `null` without limits
 * @property {number} ended in the clock of `event.timeStamp`: the frame after the last limited step, or the onset of a
 *   step that stays. Response times start here
 * @property {number} factor device pixels for each pixel of an image
 */

/** @param {Part} part */
function tokens(part) {
  switch (part.part) {
    case 'image':
      return [part.image];
    case 'masks':
      return part.images;
    case 'gallery':
      return part.images.map(({ image }) => image);
    default:
      return [];
  }
}

/** Presents one trial after another. */
export class Presenter {
  #surface;
  #stimuli = new Stimuli();
  #calibration;
  #showing = false;

  /**
   * @param {HTMLCanvasElement} canvas which no other code draws on; it is as large as the page's styles make it
   * @param {Calibration | null} calibration of this screen, if there is one already; otherwise measured when first needed
   */
  constructor(canvas, calibration = null) {
    this.#surface = new Surface(canvas);
    this.#calibration = calibration;
  }

  /**
   * Fetches, decodes and uploads every image of a block, and releases the previous block.
   * @param {readonly string[]} block
   * @param {(loaded: number, total: number) => void} [progress]
   * @returns {Promise<void>}
   * @throws {import("./stimuli.js").BlockFailed} which says what is missing; the block must not begin
   */
  async load(block, progress) {
    await this.#stimuli.load(block, progress);
  }

  /** Releases every image, and leaves a grey canvas. */
  release() {
    this.#stimuli.release();
    this.#surface.clear();
  }

  /** Removes a step that stays, and releases its images. */
  clear() {
    this.#surface.clear();
    this.#surface.removeTexts();
    this.#stimuli.trialOver();
  }

  /**
   * Shows the countdown, images, galleries and masks among the parts of a trial in order. Resolves one frame after the last
   * of them has left the screen, or one without a limit is on it: what the page draws earlier would keep the last mask on
   * the screen for another frame.
   * @param {readonly Part[]} parts
   * @param {AbortSignal} [signal] ends the presentation with a grey canvas and the signal's reason
   * @returns {Promise<Presented>}
   * @throws {Disturbed} if the rater turned away, the screen changed or the presentation was too late
   * @throws {import("./surface.js").DoesNotFit} if the window is too small
   */
  async show(parts, signal) {
    if (this.#showing) throw new TypeError('a presentation is going on');
    this.#showing = true;
    try {
      signal?.throwIfAborted();
      this.#calibration ??= await calibrate();
      this.clear();
      await this.#stimuli.ready(parts.flatMap(tokens));
      this.#surface.fit();
      const steps = plan(parts, this.#calibration.frame_us);
      return await this.#run(
        steps,
        steps.map((step) => this.#picture(step, parts)),
        this.#calibration,
        signal,
      );
    } catch (error) {
      if (error instanceof Disturbed && error.reason === 'screen') this.#calibration = null;
      throw error;
    } finally {
      this.#showing = false;
    }
  }

  /**
   * @param {Step} step
   * @param {readonly Part[]} parts
   * @returns {Picture}
   */
  #picture(step, parts) {
    const part = parts[step.part];
    switch (part?.part) {
      case 'image':
        return this.#alone(part.image);
      case 'masks':
        return this.#alone(part.images[step.image] ?? '');
      case 'gallery':
        return this.#surface.place(
          part.images.map(({ image, label }) => ({ bitmap: this.#stimuli.bitmap(image), label })),
        );
      default:
        return { images: [], text: String(step.value), sheet: null };
    }
  }

  /** An image or a text by itself. @param {string} token @returns {Picture} */
  #alone(token) {
    const html = this.#stimuli.html(token);
    if (html !== null) return this.#surface.placeText(html);
    return this.#surface.place([{ bitmap: this.#stimuli.bitmap(token), label: '' }]);
  }

  /**
   * @param {readonly Step[]} steps
   * @param {readonly Picture[]} pictures of the steps
   * @param {Calibration} calibration
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<Presented>}
   */
  #run(steps, pictures, calibration, signal) {
    const surface = this.#surface;
    const planner = new Planner(steps, calibration.frame_us);
    const limited = steps.some(({ kind, planned_frames }) => kind !== 'number' && planned_frames !== Infinity);
    const display = () => (limited ? planner.display(calibration.grain_us) : null);
    return new Promise((resolve, reject) => {
      let request = 0;
      /** @param {unknown} error */
      const fail = (error) => {
        over();
        surface.clear();
        reject(error);
      };
      const abort = () => fail(signal?.reason);
      const watch = new Watch((reason) => fail(new Disturbed(reason, display())));
      const over = () => {
        cancelAnimationFrame(request);
        watch.stop();
        signal?.removeEventListener('abort', abort);
        // Texts that are over can no longer be found on the page.
        if (!planner.held) surface.removeTexts();
      };
      /** @param {number} timestamp */
      const tick = (timestamp) => {
        const index = planner.frame(timestamp, performance.now());
        const picture = index === DONE ? undefined : pictures[index];
        if (picture === undefined) {
          surface.clear();
        } else {
          surface.draw(picture);
        }
        if (!planner.settled && !planner.hopeless) {
          request = requestAnimationFrame(tick);
          return;
        }
        watch.check();
        over();
        if (planner.hopeless) {
          fail(new Disturbed('late', display()));
        } else {
          resolve({ display: display(), ended: planner.ended, factor: surface.factor });
        }
      };
      signal?.addEventListener('abort', abort);
      request = requestAnimationFrame(tick);
      watch.check();
      if (signal?.aborted) abort();
    });
  }
}
