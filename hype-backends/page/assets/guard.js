// Which presses act on a screen: those that began on it, once it could be answered.

/**
 * What is known of an event that presses something.
 * @typedef {{ type: string, timeStamp: number, key?: string, repeat?: boolean }} Press
 */

/** How long after its release a press may still cause a click, in milliseconds: browsers that wait for a double tap. */
const RELEASED = 500;

/**
 * Whether a key presses what has the focus.
 * @param {string | undefined} key
 */
export const isPressing = (key) => key === 'Enter' || key === ' ';

/**
 * Decides which presses count. A click counts as of the press that caused it: a button that appears beneath a
 * finger is not pressed by it, nor the next trial by the second half of a double click.
 */
export class Guard {
  /** When presses began to count, in the clock of `event.timeStamp`. */
  #since = Infinity;
  /** @type {{ began: number, ended: number } | null} */
  #press = null;

  /** Lets no press count until `open`. */
  shut() {
    this.#since = Infinity;
  }

  /**
   * Lets presses count that begin from now on.
   * @param {number} since
   */
  open(since) {
    this.#since = since;
  }

  /**
   * Whether an event may act on the screen. It has to be asked about every press, release and click, in their order.
   * @param {Press} event
   * @returns {boolean}
   */
  admits({ type, timeStamp, key, repeat }) {
    switch (type) {
      case 'pointerdown':
        this.#press = { began: timeStamp, ended: Infinity };
        return timeStamp >= this.#since;
      case 'keydown':
        // A key that is held down goes on moving a slider, but presses nothing again.
        if (repeat) return !isPressing(key) && (this.#press?.began ?? timeStamp) >= this.#since;
        this.#press = { began: timeStamp, ended: Infinity };
        return timeStamp >= this.#since;
      case 'pointerup':
      case 'keyup':
        if (this.#press !== null) this.#press.ended = timeStamp;
        return true;
      default:
        return this.#beginning(timeStamp) >= this.#since;
    }
  }

  /**
   * When the press began that caused a click; assistive technology clicks without a press.
   * @param {number} clicked
   */
  #beginning(clicked) {
    const press = this.#press;
    if (press === null) return clicked;
    return press.ended === Infinity || clicked - press.ended < RELEASED ? press.began : clicked;
  }
}
