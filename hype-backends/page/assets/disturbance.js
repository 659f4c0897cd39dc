/** Detects what makes a timed trial void: the rater turned away, or the screen changed. */

/** @typedef {import("./planner.js").Display} Display */

/** @typedef {"hidden" | "blur" | "fullscreen" | "resize" | "zoom" | "freeze" | "screen" | "late"} Reason */

/** A trial that is void and has to be shown again. */
export class Disturbed extends Error {
  /**
   * @param {Reason} reason
   * @param {Display | null} display what had been shown until then
   */
  constructor(reason, display = null) {
    super(`the presentation was disturbed: ${reason}`);
    this.name = 'Disturbed';
    this.reason = reason;
    this.display = display;
  }
}

/** What must not change during a trial. */
function surroundings() {
  const { width, height, colorDepth, orientation } = window.screen;
  return {
    screen: `${width} ${height} ${colorDepth} ${orientation?.angle ?? 0}`,
    ratio: window.devicePixelRatio,
    scale: window.visualViewport?.scale ?? 1,
    size: `${window.innerWidth} ${window.innerHeight}`,
    full: document.fullscreenElement !== null,
  };
}

/**
 * Watches from construction until `stop`, and reports the first disturbance.
 *
 * Events alone are not enough: a window that was in the background from the start never blurs, and a browser may send the
 * event of a resize after the trial. `check` therefore compares the surroundings themselves.
 */
export class Watch {
  #before = surroundings();
  #events = new AbortController();
  #tell;

  /** @param {(reason: Reason) => void} tell called at most once */
  constructor(tell) {
    this.#tell = tell;
    const { signal } = this.#events;
    /** @type {(target: EventTarget | null, type: string, look: () => Reason | null) => void} */
    const on = (target, type, look) => target?.addEventListener(type, () => this.#found(look()), { signal });
    on(document, 'visibilitychange', () => this.#look());
    on(document, 'fullscreenchange', () => this.#look());
    on(document, 'freeze', () => 'freeze');
    on(window, 'pagehide', () => 'freeze');
    on(window, 'blur', () => 'blur');
    on(window, 'resize', () => this.#look());
    on(window.visualViewport, 'resize', () => this.#look());
    on(window.screen.orientation ?? null, 'change', () => 'screen');
    on(window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`), 'change', () => this.#look());
  }

  /** Checks once for changes that fire no event. */
  check() {
    this.#found(this.#look());
  }

  stop() {
    this.#events.abort();
  }

  /** @param {Reason | null} reason */
  #found(reason) {
    if (reason !== null && !this.#events.signal.aborted) {
      this.stop();
      this.#tell(reason);
    }
  }

  /**
   * The order is from cause to effect: another screen changes the ratio, and a zoom changes the size.
   * @returns {Reason | null}
   */
  #look() {
    const now = surroundings();
    const before = this.#before;
    if (document.hidden) return 'hidden';
    if (!document.hasFocus()) return 'blur';
    if (now.full !== before.full) return 'fullscreen';
    if (now.screen !== before.screen) return 'screen';
    if (now.ratio !== before.ratio || now.scale !== before.scale) return 'zoom';
    return now.size === before.size ? null : 'resize';
  }
}
