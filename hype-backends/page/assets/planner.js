/**
 * Plans a presentation in whole frames and follows it through the timestamps of animation frames.
 *
 * It knows no screen, canvas or clock: from the refresh interval and the timestamp of each frame it decides what the frame
 * shows. It allocates nothing during a presentation.
 */

/**
 * A part of a trial that the presenter shows; other kinds of parts take no frames.
 * @typedef {{ part: "countdown", from: number, each_ms: number }} CountdownPart
 * @typedef {{ part: "image", image: string, width: number, height: number, exposure_ms: number | null }} ImagePart
 * @typedef {{ part: "masks", images: string[], each_ms: number }} MasksPart
 * @typedef {{ label: string, image: string, width: number, height: number }} GalleryImage
 * @typedef {{ part: "gallery", images: GalleryImage[], exposure_ms: number | null }} GalleryPart
 * @typedef {{ part: "condition" }} ConditionPart
 * @typedef {CountdownPart | ImagePart | MasksPart | GalleryPart | ConditionPart} Part
 */

/**
 * One step: an image or number shown for a planned number of frames.
 * @typedef {object} Step
 * @property {number} part the index of its part in the trial
 * @property {number} image the index within the part
 * @property {'number' | 'image' | 'mask' | 'gallery'} kind
 * @property {number} value the number of a countdown; 0 otherwise
 * @property {number} requested_ms `Infinity` for a step that stays until the answer
 * @property {number} planned_frames `Infinity` likewise
 * @property {number} achievable_ms the duration of the planned frames
 */

/**
 * How one step was shown.
 * @typedef {object} PartDisplay
 * @property {number} part
 * @property {number} image
 * @property {number} requested_ms
 * @property {number} planned_frames
 * @property {number} frames
 * @property {number} onset_us from the start of the presentation
 * @property {number} shown_us
 */

/**
 * The measurements of a presentation.
 * @typedef {object} Display
 * @property {number} frame_us the refresh interval
 * @property {number} grain_us the resolution of the page's clock
 * @property {number} skipped frames without a callback, up to the frame after the last change, countdown excluded
 * @property {number} worst_late_us the largest delay of a callback or change, countdown excluded
 * @property {boolean} suspect whether a change was late by more than half a frame
 * @property {PartDisplay[]} parts limited images and masks, in the order shown
 */

/** Returned by `Planner.frame` when the last step is over. */
export const DONE = -1;

/** A change that is late by at least this, in milliseconds, and by three frames makes a trial void. */
export const HOPELESS_MS = 40;

/**
 * The number of frames closest to a duration, at least one.
 * @param {number} ms
 * @param {number} frameUs the refresh interval
 */
export function plannedFrames(ms, frameUs) {
  return Math.max(1, Math.round((ms * 1000) / frameUs));
}

/**
 * The steps of a trial, each with its planned frames.
 * @param {readonly Part[]} parts
 * @param {number} frameUs the refresh interval
 * @returns {Step[]}
 * @throws {RangeError} if a part without a limit is followed by another, which would never be shown
 */
export function plan(parts, frameUs) {
  /** @type {Step[]} */
  const steps = [];
  /** @type {(part: number, image: number, kind: Step["kind"], value: number, ms: number | null) => void} */
  const add = (part, image, kind, value, ms) => {
    if (steps.at(-1)?.planned_frames === Infinity) {
      throw new RangeError(`part ${part} would follow a picture that has no end`);
    }
    const frames = ms === null ? Infinity : plannedFrames(ms, frameUs);
    steps.push({
      part,
      image,
      kind,
      value,
      requested_ms: ms ?? Infinity,
      planned_frames: frames,
      achievable_ms: (frames * frameUs) / 1000,
    });
  };
  parts.forEach((part, place) => {
    switch (part.part) {
      case 'countdown':
        for (let number = part.from; number > 0; number -= 1) {
          add(place, part.from - number, 'number', number, part.each_ms);
        }
        break;
      case 'image':
        add(place, 0, 'image', 0, part.exposure_ms);
        break;
      case 'masks':
        part.images.forEach((_, image) => add(place, image, 'mask', 0, part.each_ms));
        break;
      case 'gallery':
        add(place, 0, 'gallery', 0, part.exposure_ms);
        break;
      default:
    }
  });
  return steps;
}

/**
 * Follows one presentation. Only `frame` changes it, and a call with a timestamp that is not after the last one changes
 * nothing.
 */
export class Planner {
  #steps;
  #frameMs;
  #current = DONE;
  #started = false;
  #settled = false;
  #first = 0;
  #last = 0;
  #onsets;
  #ends;
  #skipped = 0;
  #worst = 0;
  #worstChange = 0;

  /**
   * @param {readonly Step[]} steps
   * @param {number} frameUs the refresh interval
   */
  constructor(steps, frameUs) {
    this.#steps = steps;
    this.#frameMs = frameUs / 1000;
    this.#onsets = new Float64Array(steps.length).fill(NaN);
    this.#ends = new Float64Array(steps.length).fill(NaN);
  }

  /** Whether the current step stays until the answer. */
  get held() {
    return this.#steps[this.#current]?.planned_frames === Infinity;
  }

  /**
   * Whether the frame after the last change has begun. Only then can the page change: what it draws in the frame of the change
   * would delay the change on the screen.
   */
  get settled() {
    return this.#settled;
  }

  /** Whether a change of image or mask was so late that the trial is void. */
  get hopeless() {
    return this.#worstChange >= Math.max(HOPELESS_MS, 2.5 * this.#frameMs);
  }

  /** When the last limited step ended, or the current step, which stays, began, in the clock of the timestamps. */
  get ended() {
    return (this.#current === DONE ? this.#ends.at(-1) : this.#onsets[this.#current]) ?? NaN;
  }

  /**
   * Handles one frame: returns the step to draw in it, or `DONE` once the last step is over.
   *
   * A step ends with the frame whose timestamp reaches its target less half a frame. The tolerance makes the count
   * exact under jitter; comparing with the onset, not counting callbacks, keeps the duration right when callbacks are
   * skipped.
   * @param {number} timestamp of the frame, ms
   * @param {number} now the clock when the callback ran, ms
   */
  frame(timestamp, now) {
    if (!this.#started) {
      this.#started = true;
      this.#first = timestamp;
      this.#last = timestamp;
      this.#show(0, timestamp, now - timestamp);
      return this.#current;
    }
    if (timestamp <= this.#last) {
      return this.#current;
    }
    const late = now - timestamp;
    const step = this.#steps[this.#current];
    if (step === undefined || this.held) {
      this.#settle(timestamp, late);
      return this.#current;
    }
    if (step.kind !== 'number') {
      this.#skipped += Math.max(0, Math.round((timestamp - this.#last) / this.#frameMs) - 1);
      this.#worst = Math.max(this.#worst, late);
    }
    this.#last = timestamp;
    const target = (this.#onsets[this.#current] ?? NaN) + step.planned_frames * this.#frameMs;
    if (timestamp >= target - this.#frameMs / 2) {
      this.#ends[this.#current] = timestamp;
      if (step.kind !== 'number') {
        this.#change(Math.max(late, timestamp - target));
      }
      this.#show(this.#current + 1, timestamp, late);
    }
    return this.#current;
  }

  /**
   * The measurements so far: the limited images and masks that have ended.
   * @param {number} grainUs the resolution of the page's clock
   * @returns {Display}
   */
  display(grainUs) {
    /** @type {PartDisplay[]} */
    const parts = [];
    this.#steps.forEach((step, index) => {
      const onset = this.#onsets[index] ?? NaN;
      const shown = (this.#ends[index] ?? NaN) - onset;
      if (step.kind !== 'number' && !Number.isNaN(shown)) {
        parts.push({
          part: step.part,
          image: step.image,
          requested_ms: step.requested_ms,
          planned_frames: step.planned_frames,
          frames: Math.round(shown / this.#frameMs),
          onset_us: Math.round((onset - this.#first) * 1000),
          shown_us: Math.round(shown * 1000),
        });
      }
    });
    return {
      frame_us: Math.round(this.#frameMs * 1000),
      grain_us: grainUs,
      skipped: this.#skipped,
      worst_late_us: Math.round(this.#worst * 1000),
      suspect: Math.max(this.#worst, this.#worstChange) > this.#frameMs / 2,
      parts,
    };
  }

  /**
   * @param {number} index
   * @param {number} timestamp
   * @param {number} late
   */
  #show(index, timestamp, late) {
    const step = this.#steps[index];
    if (step === undefined) {
      this.#current = DONE;
      return;
    }
    this.#current = index;
    this.#onsets[index] = timestamp;
    if (step.kind !== 'number') {
      this.#change(late);
    }
  }

  /**
   * Handles the frame after the last change. If it is late, so may be the change on the screen.
   * @param {number} timestamp
   * @param {number} late
   */
  #settle(timestamp, late) {
    if (this.#settled) return;
    this.#settled = true;
    const before = this.#steps[this.#current === DONE ? this.#steps.length - 1 : this.#current - 1];
    if (before !== undefined && before.kind !== 'number') {
      this.#skipped += Math.max(0, Math.round((timestamp - this.#last) / this.#frameMs) - 1);
      this.#change(Math.max(late, timestamp - this.#last - this.#frameMs));
    }
    this.#last = timestamp;
  }

  /** @param {number} late by how much a change of image or mask was late, ms */
  #change(late) {
    this.#worstChange = Math.max(this.#worstChange, late);
    this.#worst = Math.max(this.#worst, late);
  }
}
