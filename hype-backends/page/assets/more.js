// Marks boxes whose content goes on below what is in sight.

/** Marks the questions and texts of a trial. */
export class More {
  #boxes;
  #observer = new ResizeObserver(() => this.#look());

  /** @param {HTMLElement} trial */
  constructor(trial) {
    this.#boxes = /** @type {HTMLElement[]} */ ([...trial.querySelectorAll('.asking, .condition-text')]);
  }

  start() {
    document.addEventListener('scroll', this.#look, { capture: true, passive: true });
    for (const box of this.#boxes) for (const one of [box, ...box.children]) this.#observer.observe(one);
  }

  stop() {
    document.removeEventListener('scroll', this.#look, true);
    this.#observer.disconnect();
  }

  #look = () => {
    const rests = this.#boxes.map(restOf);
    for (const [at, box] of this.#boxes.entries()) box.dataset['more'] = String((rests[at] ?? 0) > 1);
  };
}

/** How much of a box is out of sight below, in CSS pixels. @param {HTMLElement} box */
function restOf(box) {
  const bar = box.querySelector('.bar');
  const last = [...box.querySelectorAll('.asked')].at(-1);
  if (!bar || !last) return box.scrollHeight - box.clientHeight - box.scrollTop;
  return last.getBoundingClientRect().bottom - bar.getBoundingClientRect().top;
}
