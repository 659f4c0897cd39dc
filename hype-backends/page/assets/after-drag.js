// The click at the end of a drag, which acts on nothing.

/** How long after the end of a drag its click comes, in milliseconds. */
const CLICKED = 50;

/** Keeps the clicks at the end of drags from an element. */
export class AfterDrag {
  #ended = Number.NEGATIVE_INFINITY;

  /**
   * @param {HTMLElement} element
   * @param {AbortSignal} signal
   */
  constructor(element, signal) {
    element.addEventListener('click', (event) => this.#stop(event), { signal, capture: true });
    // A click after another press belongs to that press.
    element.addEventListener('pointerdown', () => (this.#ended = Number.NEGATIVE_INFINITY), { signal, capture: true });
  }

  /** A drag ends. @param {number} when the event's time stamp */
  ended(when) {
    this.#ended = when;
  }

  /** @param {MouseEvent} event */
  #stop(event) {
    if (event.timeStamp - this.#ended > CLICKED) return;
    event.preventDefault();
    event.stopPropagation();
  }
}
