// One clip of a trial: its newest frame, what of it was played, and when it stood still.

import { added } from './played.js';

/**
 * @import { Ranges } from "./played.js"
 * @import { Shown } from "./step.js"
 */

/** How long a clip that plays may show no new frame before it stands still, in milliseconds. */
const STILL = 250;

/** The same for a clip that has only begun to play. */
const SLOW = 1000;

/** How long a frame is until it is known, in seconds. */
const FRAME = 0.04;

/** A clip that is played. Times are those of the page's clock, in milliseconds. */
export class Member {
  /** @type {Shown | null} */
  shown = null;
  /** What was played, in seconds of the clip. @type {Ranges} */
  seen = [];
  /** Whether it has gone on since it was last begun. */
  isMoving = false;
  /** Whether its end was reached. */
  ended = false;
  /** When its first frame was shown. @type {number | null} */
  first = null;
  /** How long it has played. */
  played = 0;
  replays = 0;
  /** When it stood still. @type {(readonly [number, number])[]} */
  stalls = [];
  /** Since when it stands still. @type {number | null} */
  #still = null;
  /** Since when it waits for data. @type {number | null} */
  #waits = null;
  /** When it last showed a new frame or began to play. */
  #moved = 0;
  /** The frames that were dropped before it was first played. @type {number | null} */
  #dropped = null;
  /** Up to where it was played, in seconds. */
  #from = 0;
  /** The shortest time between two frames, in seconds. */
  #gap = Infinity;
  #request = 0;
  #events = new AbortController();

  /** @param {HTMLVideoElement} element */
  constructor(element) {
    this.element = element;
    const { signal } = this.#events;
    element.addEventListener('waiting', (event) => (this.#waits ??= event.timeStamp), { signal });
    for (const type of ['playing', 'canplay']) {
      element.addEventListener(type, () => (this.#waits = null), { signal });
    }
  }

  /** Whether the browser tells which frame it shows. */
  get #tellsFrames() {
    return typeof this.element.requestVideoFrameCallback === 'function';
  }

  /** How long the clip is, in seconds. */
  get duration() {
    const { duration } = this.element;
    return Number.isFinite(duration) ? duration : 0;
  }

  /** How long a frame is, in seconds. */
  get frame() {
    return this.#gap === Infinity ? FRAME : this.#gap;
  }

  /** Whether it is at its end. */
  get isOver() {
    return this.element.ended;
  }

  /** Whether it can be played on. */
  get isReady() {
    return this.element.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA || this.element.ended;
  }

  /** Plays on from here. @param {number} now */
  async play(now) {
    this.#moved = now;
    this.shown = null;
    this.isMoving = false;
    this.#dropped ??= droppedBy(this.element);
    if (this.isOver) return;
    this.#follow();
    await this.element.play();
  }

  /** The rater pauses it. @param {number} now */
  pause(now) {
    this.#end(now);
    this.hold();
  }

  /** Waits until all clips can go on. */
  hold() {
    this.element.pause();
    this.#unfollow();
  }

  /** Goes back to the beginning. */
  async rewind() {
    this.shown = null;
    this.#from = 0;
    this.replays += 1;
    const { element } = this;
    element.playbackRate = 1;
    const sought = new Promise((resolve) => element.addEventListener('seeked', resolve, { once: true }));
    element.currentTime = 0;
    await sought;
  }

  /**
   * Looks at a clip that plays.
   * @param {number} now
   * @param {number} passed since the last look
   */
  look(now, passed) {
    if (!this.#tellsFrames) this.#show(this.element.currentTime, now);
    if (this.isOver) {
      this.#see(this.duration);
      this.ended = true;
      this.#end(now);
      return;
    }
    this.played += passed;
    // A clip may take its time to begin.
    const grace = this.shown === null ? SLOW : this.frame * 1000;
    if (this.isStuck(now)) this.#still ??= Math.min(now, this.#moved + grace);
  }

  /** Whether a clip that plays shows nothing new. @param {number} now */
  isStuck(now) {
    return this.#waits !== null || now - this.#moved > (this.shown === null ? SLOW : STILL);
  }

  /** Since when it stands still; `null` while it moves. */
  get still() {
    return this.#still;
  }

  /** How many frames were dropped. */
  get dropped() {
    return Math.max(0, droppedBy(this.element) - (this.#dropped ?? 0));
  }

  /** Frees the clip. */
  stop() {
    this.#events.abort();
    this.#unfollow();
    this.element.pause();
    this.element.removeAttribute('src');
    this.element.load();
  }

  /** Follows the frames of the clip. */
  #follow() {
    if (!this.#tellsFrames) return;
    this.#unfollow();
    this.#request = this.element.requestVideoFrameCallback((_, { mediaTime, expectedDisplayTime }) => {
      this.#show(mediaTime, expectedDisplayTime);
      this.#follow();
    });
  }

  #unfollow() {
    if (this.#request !== 0) this.element.cancelVideoFrameCallback(this.#request);
    this.#request = 0;
  }

  /** A frame is shown. @param {number} time in seconds, which some browsers count on when clips begin again @param {number} at */
  #show(time, at) {
    const media = this.element.loop && this.duration > 0 ? time % this.duration : time;
    const before = this.shown;
    if (before !== null && media === before.media) return;
    // Some browsers step back a little where a clip was held.
    const back = before === null ? 0 : before.media - media;
    if (this.element.loop && back > this.duration / 2) {
      // The clip has begun again by itself.
      this.#see(this.duration);
      this.ended = true;
      this.replays += 1;
      this.#from = 0;
    } else if (before !== null && back < 0 && this.#tellsFrames) {
      this.#gap = Math.min(this.#gap, media - before.media);
    }
    this.first ??= at;
    this.isMoving = before !== null;
    this.#end(at);
    this.#see(media);
    this.shown = { media, at };
    this.#moved = at;
  }

  /** Everything up to a time was played. @param {number} media */
  #see(media) {
    this.seen = added(this.seen, this.#from, media);
    this.#from = media;
  }

  /** The clip moves again, is paused or has ended. @param {number} at */
  #end(at) {
    if (this.#still !== null && at > this.#still) this.stalls.push([this.#still, at]);
    this.#still = null;
    this.#waits = null;
  }
}

/** @param {HTMLVideoElement} element */
const droppedBy = (element) => element.getVideoPlaybackQuality?.().droppedVideoFrames ?? 0;
