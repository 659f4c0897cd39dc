// Reports on their way to the server: kept until acknowledged, sent one at a time in the order of their trials.

import { Failure, backOff } from './api.js';

/**
 * @import { Receipt, Report, DisturbedBody } from "../page.js"
 * @import { Patience } from "./patience.js"
 * @import { Entry, Store } from "./store.js"
 */

/**
 * What the rater is told: all is saved, a report is on its way, it waits for another attempt, or the server is out of
 * reach while nothing waits to be saved.
 * @typedef {"saved" | "sending" | "waiting" | "offline"} Status
 */

/**
 * The name of a report: sending it again under the same one changes nothing.
 * @param {Report} report
 */
function keyOf(report) {
  return `${report.body.trial}.${report.body.showing}`;
}

/** @param {Entry} one @param {Entry} other */
function inOrder(one, other) {
  const [first, second] = [one.report.body, other.report.body];
  return first.trial - second.trial || first.showing - second.showing;
}

/** Keeps and sends reports. */
export class Outbox {
  /** @type {Entry[]} */
  #entries = [];
  /** @type {Promise<Receipt | null> | null} */
  #sending = null;

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

  /** Takes up what an earlier life of the page left; presentations that it was in the midst of count as disturbed. */
  async restore() {
    const left = await this.store.all().catch(() => []);
    const known = new Set(this.#entries.map((entry) => entry.key));
    const found = left.filter((entry) => !known.has(entry.key));
    this.#entries = [...this.#entries, ...found].map((entry) => ({ ...entry, provisional: false })).sort(inOrder);
  }

  /**
   * Keeps a report for the case that the page does not live to see the end of a presentation.
   * @param {DisturbedBody} body
   */
  async expect(body) {
    await this.#keep({ to: 'disturbed', body }, true);
  }

  /**
   * Keeps a report, in place of the provisional one where there is one.
   * @param {Report} report
   */
  async add(report) {
    await this.#keep(report, false);
  }

  /** Forgets everything: the session that the reports belonged to is over. */
  async clear() {
    this.#entries = [];
    this.tell('saved');
    await this.store.clear().catch(() => undefined);
  }

  /**
   * Sends what is kept, in order, again and again while the server is out of reach.
   * @returns {Promise<Receipt | null>} the last receipt; `null` if there was nothing to send
   * @throws {Failure} that sending again does not mend; a report that can never be taken is kept no longer
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
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
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
    // A full or failing disk does not stop the study: the report lives in memory until it is sent.
    await this.store.put(entry).catch(() => undefined);
  }

  /** @param {string} key */
  async #drop(key) {
    this.#entries = this.#entries.filter((entry) => entry.key !== key);
    await this.store.remove(key).catch(() => undefined);
  }
}
