// For how long the page was hidden during a trial.

/** Watches whether the page is hidden, from construction on. Times are those of `event.timeStamp`. */
export class Hidden {
  /** Since when the page is hidden, if it is. @type {number | null} */
  #since;
  #before = 0;

  /**
   * @param {number} onset
   * @param {AbortSignal} signal ends watching
   * @param {(is: "hidden" | "seen", when: number) => void} changed
   */
  constructor(onset, signal, changed) {
    this.#since = document.hidden ? onset : null;
    document.addEventListener(
      'visibilitychange',
      ({ timeStamp }) => {
        if (document.hidden === (this.#since !== null)) return;
        this.#before = this.until(timeStamp);
        this.#since = document.hidden ? timeStamp : null;
        changed(document.hidden ? 'hidden' : 'seen', timeStamp);
      },
      { signal },
    );
  }

  /** How long it was hidden until a time. @param {number} when */
  until(when) {
    return this.#before + (this.#since === null ? 0 : Math.max(0, when - this.#since));
  }
}
