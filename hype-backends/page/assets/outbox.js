// Reports to the server: stored until acknowledged, and sent one at a time in the order of their trials.

import { Failure, backOff } from './api.js';

/**
 * @import { Receipt, Report, DisturbedBody } from "../page.js"
 * @import { Patience } from "./patience.js"
 * @import { Entry, Store } from "./store.js"
 */

/**
 * The state shown to the rater: everything is saved, a report is being sent, it waits for another attempt, or the server
 * cannot be reached while nothing waits to be saved.
 * @typedef {"saved" | "sending" | "waiting" | "offline"} Status
 */

/**
 * The identity of a report: repeating it changes nothing.
 * @param {Report} report
 */
function keyOf(report) {
  const key = `${report.body.trial}.${report.body.showing}`;
  const revision = revisionOf(report);
  return revision === 0 ? key : `${key}.${revision}`;
}

/** How many answers to the trial came before a report. @param {Report} report */
function revisionOf(report) {
  return report.to === 'answer' ? (report.body.revision ?? 0) : 0;
}

/** @param {Entry} one @param {Entry} other */
function inOrder(one, other) {
  const [first, second] = [one.report.body, other.report.body];
  return (
    first.trial - second.trial || first.showing - second.showing || revisionOf(one.report) - revisionOf(other.report)
  );
}

/** Stores and sends reports. */
export class Outbox {
  /** @type {Entry[]} */
  #entries = [];
  /** @type {Promise<Receipt | null> | null} */
  #sending = null;
  /**
   * Called with each report that was acknowledged.
   * @type {(report: Report, receipt: Receipt) => void}
   */
  acknowledged = () => undefined;

  /**
   * @param {Store} store
   * @param {(report: Report) => Promise<Receipt>} send
   * @param {(status: Status) => void} tell
   * @param {Patience} patience
   * @param {() => number} [random]
   */
  constructor(store, send, tell, patience, random = Math.random) {
    this.store = store;
    this.send = send;
    this.tell = tell;
    this.patience = patience;
    this.random = random;
  }

  /** Whether a report waits for its acknowledgement. */
  get unsent() {
    return this.#entries.some((entry) => !entry.provisional);
  }

  /** Restores reports from before a reload; an interrupted presentation counts as disturbed. */
  async restore() {
    const left = await this.store.all().catch(() => []);
    const known = new Set(this.#entries.map((entry) => entry.key));
    const found = left.filter((entry) => !known.has(entry.key));
    this.#entries = [...this.#entries, ...found].map((entry) => ({ ...entry, provisional: false })).sort(inOrder);
  }

  /**
   * Stores a provisional report, in case the page does not survive the presentation.
   * @param {DisturbedBody} body
   */
  async expect(body) {
    await this.#keep({ to: 'disturbed', body }, true);
  }

  /**
   * Stores a report in place of the provisional one.
   * @param {Report} report
   */
  async add(report) {
    await this.#keep(report, false);
  }

  /** Deletes all reports, when their session is over. */
  async clear() {
    this.#entries = [];
    this.tell('saved');
    await this.store.clear().catch(() => undefined);
  }

  /**
   * Sends stored reports in order, with retries while the server cannot be reached.
   * @returns {Promise<Receipt | null>} the last receipt; `null` if there was nothing to send
   * @throws {Failure} that a retry cannot mend; a report that can never be accepted is deleted
   */
  flush() {
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = null));
    return this.#sending;
  }

  /** @returns {Promise<Receipt | null>} */
  async #sendAll() {
    let last = null;
    let failures = 0;
    for (let entry = this.#next(); entry !== undefined; entry = this.#next()) {
      this.tell('sending');
      try {
        last = await this.send(entry.report);
        failures = 0;
        await this.#drop(entry.key);
        this.acknowledged(entry.report, last);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        error.report = entry.report;
        if (error.remedy === 'retry') {
          failures += 1;
          this.tell('waiting');
          await this.patience.wait(backOff(failures, error.after, this.random));
        } else {
          if (error.remedy === 'refused' || error.remedy === 'fatal' || error.code === 'not-this-trial') {
            await this.#drop(entry.key);
          }
          this.tell(this.unsent ? 'sending' : 'saved');
          throw error;
        }
      }
    }
    this.tell('saved');
    return last;
  }

  #next() {
    return this.#entries.find((entry) => !entry.provisional);
  }

  /** @param {Report} report @param {boolean} provisional */
  async #keep(report, provisional) {
    const entry = { key: keyOf(report), provisional, report };
    this.#entries = [...this.#entries.filter((other) => other.key !== entry.key), entry].sort(inOrder);
    // A full or failing disk must not stop the study: the report stays in memory until it is sent.
    await this.store.put(entry).catch(() => undefined);
  }

  /** @param {string} key */
  async #drop(key) {
    this.#entries = this.#entries.filter((entry) => entry.key !== key);
    await this.store.remove(key).catch(() => undefined);
  }
}
