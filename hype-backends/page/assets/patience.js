// Waits between attempts, which the rater or a returning network can cut short.

/** The wait that all requests of the page share. */
export class Patience {
  /** @type {Set<() => void>} */
  #waiting = new Set();

  /** @param {number} milliseconds @returns {Promise<void>} */
  wait(milliseconds) {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      this.#waiting.add(end);
    });
  }

  /** Ends every wait. */
  hurry() {
    for (const end of this.#waiting) end();
  }
}
