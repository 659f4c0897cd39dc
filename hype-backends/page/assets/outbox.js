// Reports on their way to the server: kept until acknowledged, sent one at a time in the order of their trials.

import { Failure, backOff } from "./api.js";

/**
 * @import { Receipt, Report, DisturbedReport } from "../contract.js"
 * @import { Entry, Store } from "./store.js"
 */

/**
 * What the rater is told: all is saved, a report is on its way, or it waits for another attempt.
 * @typedef {{ state: "saved" } | { state: "sending" } | { state: "waiting", milliseconds: number }} Status
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
  /** @type {(() => void) | null} */
  #wake = null;
  /** @type {Entry[]} */
  #entries = [];

  /**
   * @param {Store} store
   * @param {(report: Report) => Promise<Receipt>} send
   * @param {(status: Status) => void} tell
   * @param {() => number} [random]
   */
  constructor(store, send, tell, random = Math.random) {
    this.store = store;
    this.send = send;
    this.tell = tell;
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
   * @param {DisturbedReport} body
   */
  async expect(body) {
    await this.#keep({ to: "disturbed", body }, true);
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
    this.tell({ state: "saved" });
    await this.store.clear().catch(() => undefined);
  }

  /**
   * Sends what is kept, in order, again and again while the server is out of reach.
   * @returns {Promise<Receipt | null>} the last receipt; `null` if there was nothing to send
   * @throws {Failure} that sending again does not mend; a report that can never be taken is kept no longer
   */
  async flush() {
    let last = null;
    let failures = 0;
    for (let entry = this.#next(); entry !== undefined; entry = this.#next()) {
      this.tell({ state: "sending" });
      try {
        last = await this.send(entry.report);
        failures = 0;
        await this.#drop(entry.key);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (error.remedy === "retry") {
          failures += 1;
          await this.#wait(backOff(failures, error.after, this.random));
        } else {
          if (error.remedy === "refused" || error.remedy === "fatal" || error.code === "not-this-trial") {
            await this.#drop(entry.key);
          }
          this.tell({ state: this.unsent ? "sending" : "saved" });
          throw error;
        }
      }
    }
    this.tell({ state: "saved" });
    return last;
  }

  /** Ends a wait: the rater asks for an attempt, or the browser says that it is online again. */
  hurry() {
    this.#wake?.();
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

  /** @param {number} milliseconds */
  async #wait(milliseconds) {
    this.tell({ state: "waiting", milliseconds });
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
    });
    this.#wake = null;
  }
}
