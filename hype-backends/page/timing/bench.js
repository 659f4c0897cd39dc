/** Runs pages in one browser, records the screen, and has the recording judged. */

import { existsSync } from 'node:fs';

import { chromium } from 'playwright-core';

import { canary } from './canary.js';
import { judge } from './judge.js';
import { record } from './recorder.js';
import { serve } from './server.js';
import { expected, named, trials } from './trials.js';
import { WholePage, busyCore } from './whole.js';

/** @typedef {import("./judge.js").TrialVerdict} TrialVerdict */
/** @typedef {import("./canary.js").Pause} Pause */

/**
 * @typedef {object} Condition
 * @property {"presenter" | "program" | "jspsych"} page the presenter alone, the program's whole page, or jsPsych
 * @property {"idle" | "busy" | "core"} load `busy` is the page's main thread, `core` one of the machine's processors
 * @property {"none" | "long" | "missing" | "blank"} fault
 */

/**
 * @typedef {object} Batch
 * @property {TrialVerdict[]} verdicts
 * @property {boolean[]} calm whether each trial was undisturbed by the machine
 * @property {any[]} told the page's report of each trial
 * @property {number} hz the refresh rate of the screen
 */

/** The path of Chromium: `HYPE_CHROMIUM`, by default Debian's package. */
export const CHROMIUM = process.env['HYPE_CHROMIUM'] ?? '/usr/bin/chromium';

/** @returns {boolean} whether there is a browser to judge with */
export const available = () => existsSync(CHROMIUM);

/** Where the images of the presenter and of jsPsych are observed: next to the digit of the countdown. */
const LOOK = { x: 0.25, y: 0.25 };

/** Headless Chromium ticks at 60 Hz without a screen; a window this small keeps the recording cheap. */
const VIEWPORT = { width: 320, height: 320 };

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Whether the machine left a trial undisturbed, from shortly before its first image to shortly after its last: the
 * watched threads got the processor when they needed it. If the time of the trial is unknown, the whole recording
 * counts.
 * @param {TrialVerdict} verdict
 * @param {readonly Pause[]} pauses
 * @param {number} frameUs
 */
function undisturbed({ begin, end }, pauses, frameUs) {
  if (Number.isNaN(end - begin)) return pauses.length === 0;
  return !pauses.some(({ from, to }) => to > begin - 2 * frameUs && from < end + 2 * frameUs);
}

/** A browser with a server of pages. */
export class Bench {
  #browser;
  #server;
  #seed = 1;
  /** The studies of the program by the number of their trials. @type {Map<number, WholePage>} */
  #programs = new Map();

  /**
   * @param {import("playwright-core").Browser} browser
   * @param {{ origin: string, close: () => Promise<void> }} server
   */
  constructor(browser, server) {
    this.#browser = browser;
    this.#server = server;
  }

  static async open() {
    const server = await serve();
    return new Bench(await chromium.launch({ executablePath: CHROMIUM, args: FLAGS }), server);
  }

  get version() {
    return this.#browser.version();
  }

  async close() {
    await this.#browser.close();
    await this.#server.close();
    for (const program of this.#programs.values()) await program.close();
  }

  /**
   * Runs some trials of one page, in a new tab.
   * @param {Condition} condition
   * @param {number} count
   * @returns {Promise<Batch>}
   */
  async run(condition, count) {
    const relax = condition.load === 'core' ? busyCore() : () => undefined;
    try {
      return condition.page === 'program' ? await this.#wholePage(count) : await this.#simplePage(condition, count);
    } finally {
      relax();
    }
  }

  /** @param {number} count @returns {Promise<Batch>} */
  async #wholePage(count) {
    const program = this.#programs.get(count) ?? (await WholePage.serve(count));
    this.#programs.set(count, program);
    const sitting = await program.rater(this.#browser);
    const context = sitting.page.context();
    try {
      const [browser, session] = [
        await this.#browser.newBrowserCDPSession(),
        await context.newCDPSession(sitting.page),
      ];
      const watched = canary();
      const { draws, frameUs, stumbles } = await record(browser, session, async () => {
        await sitting.play();
        return sitting.look;
      });
      const pauses = [...stumbles, ...(await watched())];
      const { verdicts, told } = await sitting.judged(draws, frameUs);
      const calm = verdicts.map((verdict) => undisturbed(verdict, pauses, frameUs));
      return { verdicts, calm, told, hz: 1e6 / frameUs };
    } finally {
      await context.close();
    }
  }

  /** @param {Condition} condition @param {number} count @returns {Promise<Batch>} */
  async #simplePage({ page: name, load, fault }, count) {
    const shown = trials(count, this.#seed);
    this.#seed += 1;
    const page = await this.#browser.newPage({ viewport: VIEWPORT });
    /** @type {Error[]} */
    const faults = [];
    page.on('pageerror', (error) => faults.push(error));
    try {
      await page.goto(`${this.#server.origin}/${name}?load=${load}&fault=${fault}`);
      await page.waitForFunction(() => 'bench' in globalThis);
      const [browser, session] = [await this.#browser.newBrowserCDPSession(), await page.context().newCDPSession(page)];
      /** @type {any[]} */
      let told = [];
      const watched = canary();
      const { draws, frameUs, stumbles } = await record(browser, session, async () => {
        told = await page.evaluate((given) => /** @type {any} */ (window).bench(given), shown);
        return LOOK;
      });
      const pauses = [...stumbles, ...(await watched())];
      if (faults[0] !== undefined) throw faults[0];
      const swaps = draws.map(({ at, colour }) => ({ at, shows: colour === null ? null : named(colour, shown) }));
      const verdicts = judge(
        swaps,
        shown.map((trial) => expected(trial, frameUs)),
        frameUs,
      );
      return {
        verdicts,
        calm: verdicts.map((verdict) => undisturbed(verdict, pauses, frameUs)),
        told,
        hz: 1e6 / frameUs,
      };
    } finally {
      await page.context().close();
    }
  }
}
