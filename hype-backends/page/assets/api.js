// Requests to the server. Failures are classified by what the page can do about them.

/**
 * @import { Screen, Receipt, Report, Environment, Whereabouts } from "../page.js"
 */

/** The folder that the page is served from. */
export const HOME = new URL('../', import.meta.url);

/**
 * The reaction to a failure: `retry` repeats the request, `reopen` opens the session again, `taken-over` and `refused`
 * inform the rater, and `fatal` gives up.
 * @typedef {"retry" | "reopen" | "taken-over" | "refused" | "fatal"} Remedy
 */

/** A request that failed. */
export class Failure extends Error {
  /** The report that the request sent, if it was one. @type {Report | null} */
  report = null;

  /**
   * @param {Remedy} remedy
   * @param {string} code the server's code, or `offline` without an answer
   * @param {string} message
   * @param {number | null} [after] milliseconds that the server asks to wait
   */
  constructor(remedy, code, message, after = null) {
    super(message);
    this.name = 'Failure';
    this.remedy = remedy;
    this.code = code;
    this.after = after;
  }
}

/** @type {Record<string, Remedy>} */
const REMEDIES = {
  'no-session': 'reopen',
  'no-such-image': 'reopen',
  'not-this-trial': 'reopen',
  'taken-over': 'taken-over',
  refused: 'refused',
  'too-many': 'retry',
  crowded: 'retry',
  unavailable: 'retry',
};

/**
 * The reaction to a response with this status and code.
 * @param {number} status
 * @param {string} code
 * @returns {Remedy}
 */
export function remedy(status, code) {
  const known = REMEDIES[code];
  if (known !== undefined) return known;
  return status === 408 || status === 429 || status >= 500 ? 'retry' : 'fatal';
}

/**
 * Milliseconds that a `retry-after` header asks to wait: seconds or a date.
 * @param {string | null} header
 * @param {number} now milliseconds since the epoch
 * @returns {number | null}
 */
export function waitAsked(header, now) {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : null;
}

/** The shortest and the longest wait before a retry, in milliseconds. */
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 30_000;

/**
 * The wait before an attempt, in milliseconds. It doubles each time, with a jitter of one half, as raters should not all
 * return at once after an outage, and is never less than the server asked for.
 * @param {number} attempt failures so far, from 1
 * @param {number | null} asked
 * @param {() => number} random uniform in [0, 1)
 * @returns {number}
 */
export function backOff(attempt, asked, random) {
  const full = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1));
  return Math.max(asked ?? 0, Math.round(full / 2 + (full / 2) * random()));
}

/** The time after which a request counts as lost, in milliseconds. */
const PATIENCE = 20_000;

/** Sends the page's requests. */
export class Api {
  /**
   * @param {string} tab 32 hexadecimal digits
   * @param {Record<string, string>} arrival
   */
  constructor(tab, arrival) {
    this.tab = tab;
    this.arrival = arrival;
  }

  /** Where the page is shown. @type {Whereabouts} */
  shown = 'window';

  /** @param {string} language @returns {Promise<Screen>} */
  open(language) {
    const shown = this.shown === 'window' ? {} : { shown: this.shown };
    return this.#post('open', { arrival: this.arrival, language, ...shown });
  }

  /** @param {string} language @param {string} text @param {boolean | null} adult @returns {Promise<Screen>} */
  consent(language, text, adult) {
    return this.#post('consent', { arrival: this.arrival, language, text, adult });
  }

  /**
   * @param {Environment} environment
   * @param {number | null} comprehension the option chosen to answer the question on the instructions
   * @returns {Promise<Screen>}
   */
  begin(environment, comprehension) {
    return this.#post('begin', { environment, comprehension });
  }

  /** Asks whether the wait is over. @returns {Promise<Screen>} */
  wait() {
    return this.#post('wait', {});
  }

  /** Asks for the trial before the current one. @param {number} trial @returns {Promise<Screen>} */
  back(trial) {
    return this.#post('back', { trial });
  }

  /** @param {Report} report @returns {Promise<Receipt>} */
  report(report) {
    return this.#post(report.to, report.body);
  }

  /** @returns {Promise<Screen>} */
  leave() {
    return this.#post('leave', {});
  }

  /** Clears the session's cookie for the next rater. @returns {Promise<{}>} */
  next() {
    return this.#post('next', {});
  }

  /**
   * @param {string} action
   * @param {object} body
   * @returns {Promise<any>}
   */
  async #post(action, body) {
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tab: this.tab, ...body }),
      signal: AbortSignal.timeout(PATIENCE),
    };
    let answer;
    let content;
    try {
      answer = await fetch(new URL(`api/${action}`, HOME), request);
      content = await answer.json();
    } catch (error) {
      // A response that is not JSON comes from a proxy, and is as temporary as an outage.
      throw new Failure('retry', 'offline', String(error));
    }
    if (answer.ok) return content;
    const code = String(content?.error?.code ?? '');
    const message = String(content?.error?.message ?? '');
    const after = waitAsked(answer.headers.get('retry-after'), Date.now());
    throw new Failure(remedy(answer.status, code), code, message, after);
  }
}

/**
 * A tab's name: 32 hexadecimal digits, drawn each time the page is loaded.
 * @returns {string}
 */
export function newTab() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * The address of an image.
 * @param {string} token
 * @returns {URL}
 */
export function imageAddress(token) {
  return new URL(`image/${encodeURIComponent(token)}`, HOME);
}
