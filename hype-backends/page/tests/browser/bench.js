// The setting of tests of single faults: the mock server, which fails on purpose, and its raters.

import { Mock } from '../mock/server.js';
import { Raters, visit } from './raters.js';

/**
 * @import { BrowserContextOptions, Page } from "playwright-core"
 */

/** A browser with the mock server. */
export class Bench {
  /** @param {Raters} raters @param {Mock} mock */
  constructor(raters, mock) {
    this.raters = raters;
    this.mock = mock;
  }

  /** @param {Record<string, string>} [environment] variables of the browser's process */
  static async open(environment = {}) {
    return new Bench(await Raters.open(environment), await new Mock().start());
  }

  /**
   * A new rater, whose page has loaded.
   * @param {Record<string, string>} [arrival] the parameters of the address
   * @param {BrowserContextOptions} [options]
   * @returns {Promise<Page>}
   */
  rater(arrival = {}, options = {}) {
    return this.raters.rater(this.#address(arrival), options);
  }

  /** @param {Page} page @param {Record<string, string>} [arrival] */
  visit(page, arrival = {}) {
    return visit(page, this.#address(arrival));
  }

  /** Closes all raters' pages, and stops failing. */
  async leave() {
    await this.raters.leave();
    this.mock.mode = { slow_ms: 0, offline: false, faults: [] };
  }

  async close() {
    await this.raters.close();
    await this.mock.stop();
  }

  /** @param {Record<string, string>} arrival */
  #address(arrival) {
    const address = new URL(this.mock.url);
    for (const [name, value] of Object.entries(arrival)) address.searchParams.set(name, value);
    return address.href;
  }
}
