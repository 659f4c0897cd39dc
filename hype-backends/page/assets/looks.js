// The views in which a rater looked at a trial's images, and for how long.

import { isWhole } from './sight.js';

/**
 * @import { CloseLook, Inspection } from "../page.js"
 * @import { Sight } from "./sight.js"
 */

/** Views that are shorter count to the next one: raters do not look while images move. In milliseconds. */
const BRIEF = 200;

/** The most views in a report that the server accepts. */
const LOOKS = 64;

/** @typedef {{ sight: Sight, factor: number, began: number, changed: number }} Seen */

/** Records views. Times are those of `event.timeStamp`. */
export class Looks {
  /** @type {(Seen & { ended: number })[]} */
  #past = [];
  /** How long views lasted that are too many. */
  #further = 0;
  /** @type {Seen | null} */
  #now = null;

  /**
   * The view changes.
   * @param {Sight} sight
   * @param {number} factor device pixels for each pixel of an image
   * @param {number} when
   */
  change(sight, factor, when) {
    const before = this.#now;
    if (isWhole(sight)) {
      this.#end(when);
    } else if (before !== null && when - before.changed < BRIEF) {
      this.#now = { sight, factor, began: before.began, changed: when };
    } else {
      this.#end(when);
      this.#now = { sight, factor, began: when, changed: when };
    }
  }

  /** @param {number} when */
  #end(when) {
    if (this.#now === null) return;
    if (this.#past.length < LOOKS) this.#past.push({ ...this.#now, ended: when });
    else this.#further += when - this.#now.began;
    this.#now = null;
  }

  /**
   * Ends the view, and reports all.
   * @param {number} onset of the images
   * @param {number} when
   * @returns {Inspection | null} `null` if images were never but whole and in their own places
   */
  report(onset, when) {
    this.#end(when);
    if (this.#past.length === 0) return null;
    const looks = this.#past.map(({ sight, factor, began, ended }) => {
      /** @type {CloseLook} */
      const look = {
        from_us: micros(began - onset),
        for_us: micros(ended - began),
        factor: rounded(factor),
        x: rounded(sight.x),
        y: rounded(sight.y),
      };
      if (sight.front !== null) look.front = sight.front;
      if (sight.divider !== null) look.divider = rounded(sight.divider);
      return look;
    });
    return this.#further > 0 ? { looks, further_us: micros(this.#further) } : { looks };
  }
}

/** @param {number} milliseconds */
const micros = (milliseconds) => Math.max(0, Math.round(milliseconds * 1000));

/** To three decimals. @param {number} number */
const rounded = (number) => Math.round(number * 1000) / 1000;
