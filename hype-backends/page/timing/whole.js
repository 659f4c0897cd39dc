/**
 * Trials on the program's own page, with its countdown, questions, feedback and progress, played by a rater from the
 * consent to the end. The page is not changed: images are recognized by their colours, and what each trial shows is read
 * from the program's responses.
 */

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { plannedFrames } from '../assets/planner.js';
import { Person } from '../tests/browser/person.js';
import { Program } from '../tests/program/program.js';
import { judge } from './judge.js';
import { flat } from './png.js';
import { near } from './trials.js';

/**
 * @import { Browser, Page } from "playwright-core"
 * @import { Screen, ScreenTrial } from "../page.js"
 * @import { Expected, Swap, TrialVerdict } from "./judge.js"
 * @import { Colour } from "./png.js"
 */

/** The side of the images, and a window that is just large enough for the page. */
const SIDE = 160;
export const VIEWPORT = { width: 720, height: 640 };

/** Where to look, from the middle of the canvas: within every image and next to the digits of the countdown. */
const BESIDE = SIDE * 0.4;

const MASKS = 40;

/** The colour of an image by its number, far from grey. @param {number} number @returns {Colour} */
const colourOf = (number) => [224 - (number % 16) * 8, 16 + Math.floor(number / 16) * 8, 40];

/**
 * What a page reports of a showing: whether it is suspect, or why it is void.
 * @typedef {{ suspect?: boolean, void?: string }} Told
 */

/** A study of flat images, served by the program. */
export class WholePage {
  /** @param {string} folder @param {Program} program */
  constructor(folder, program) {
    this.folder = folder;
    this.program = program;
  }

  /** @param {number} trials of each rater */
  static async serve(trials) {
    const folder = await mkdtemp(join(tmpdir(), 'hype-timing-'));
    let number = 0;
    for (const [set, count] of /** @type {[string, number][]} */ ([
      ['real', 2 * trials],
      ['model', 2 * trials],
      ['masks', MASKS],
    ])) {
      await mkdir(join(folder, set));
      for (let image = 0; image < count; image += 1, number += 1) {
        const name = `${String(image).padStart(4, '0')}.png`;
        await writeFile(join(folder, set, name), flat(SIDE, SIDE, colourOf(number)));
      }
    }
    const study = {
      name: 'display-times',
      seed: 3,
      stimuli: {
        real: { role: 'real', images: 'real/*.png' },
        model: { role: 'generated', images: 'model/*.png' },
      },
      task: {
        kind: 'hype_time',
        blocks: 1,
        trials_per_block: trials,
        exposure: { floor_ms: 100, ceiling_ms: 500, start_ms: 300 },
      },
      masks: { kind: 'files', images: 'masks/*.png' },
      raters: { per_model: 100, qualification: null },
    };
    const page = { needs: { width: VIEWPORT.width, height: VIEWPORT.height, refresh_hz: 50 } };
    const program = new Program(join(folder, 'evaluation.yaml'), study, page, 'web');
    await program.start();
    return new WholePage(folder, program);
  }

  async close() {
    await this.program.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** A rater who is about to begin. @param {Browser} browser */
  async rater(browser) {
    const context = await browser.newContext({ viewport: VIEWPORT, locale: 'en-GB' });
    const page = await context.newPage();
    const sitting = new Sitting(page);
    await sitting.keepImages();
    await page.addInitScript(keepRecording);
    await page.goto(this.program.raters);
    await sitting.person.begin();
    return sitting;
  }
}

/**
 * Lays an invisible sheet over the window whose opacity never rests while a trial is shown. The screencast drops frames when the
 * part of the window that changes is another one than before, as when the questions appear; with the sheet the whole window
 * changes in every frame. The compositor animates it without the page's main thread. Between trials it rests, since the
 * recorder matches its two channels by their pauses.
 */
function keepRecording() {
  addEventListener('DOMContentLoaded', () => {
    const sheet = document.createElement('div');
    Object.assign(sheet.style, {
      position: 'fixed',
      inset: '0',
      pointerEvents: 'none',
      background: '#808080',
      zIndex: '9',
    });
    document.documentElement.append(sheet);
    const flicker = sheet.animate([{ opacity: 0.001 }, { opacity: 0.003 }], {
      duration: 1000,
      direction: 'alternate',
      iterations: Infinity,
    });
    flicker.pause();
    const observer = new MutationObserver(() => {
      const step = document.querySelector('.stage')?.getAttribute('data-step');
      if (step === 'showing') flicker.play();
      else setTimeout(() => flicker.pause(), 150);
    });
    observer.observe(document.body, { subtree: true, attributes: true, attributeFilter: ['data-step'] });
  });
}

/** One rater's session, with everything that the program and the page told each other. */
class Sitting {
  /** @type {Map<string, ScreenTrial>} */
  #shown = new Map();
  /** @type {Map<string, Told>} */
  #told = new Map();
  /** @type {Map<string, Buffer>} */
  #images = new Map();
  /** @type {Promise<void>[]} */
  #reading = [];

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.person = new Person(page, 'keyboard');
    /** Where the images are observed, as shares of the window. */
    this.look = { x: 0.5, y: 0.5 };
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (pathname.includes('/api/') && response.ok()) {
        this.#reading.push(response.json().then((content) => this.#keep(content.next ?? content)));
      }
    });
    page.on('request', (request) => {
      const to = new URL(request.url()).pathname.split('/').at(-1);
      if (to !== 'answer' && to !== 'disturbed') return;
      const { trial, showing, display, reason } = request.postDataJSON();
      const told = to === 'disturbed' ? { void: reason } : { suspect: display?.suspect === true };
      this.#told.set(`${trial}.${showing}`, told);
    });
  }

  /** Keeps the files of all images, which a block loads before it begins. */
  async keepImages() {
    await this.page.route('**/image/*', async (route) => {
      const response = await route.fetch();
      const body = await response.body();
      this.#images.set(new URL(route.request().url()).pathname.split('/').at(-1) ?? '', body);
      await route.fulfill({ response, body });
    });
  }

  /** @param {Screen} screen */
  #keep(screen) {
    if (screen.screen === 'trial') this.#shown.set(`${screen.trial.number}.${screen.trial.showing}`, screen.trial);
  }

  /** Plays to the end. */
  async play() {
    await this.person.playToEnd(async ({ screen }) => {
      if (screen !== 'timed') return;
      this.look = await this.page.evaluate((beside) => {
        const { left, top, width, height } = /** @type {Element} */ (
          document.querySelector('.stage-canvas')
        ).getBoundingClientRect();
        return { x: (left + width / 2 - beside) / innerWidth, y: (top + height / 2 - beside) / innerHeight };
      }, BESIDE);
    });
    await Promise.all(this.#reading);
  }

  /**
   * The verdicts on all showings, in order, with the page's own reports.
   * @param {readonly { at: number, colour: Colour | null }[]} draws
   * @param {number} frameUs
   * @returns {Promise<{ verdicts: TrialVerdict[], told: Told[] }>}
   */
  async judged(draws, frameUs) {
    const colours = await this.#colours();
    /** @param {Colour} seen */
    const named = (seen) => [...colours].find(([, colour]) => near(seen, colour))?.[0] ?? '';
    /** @type {Swap[]} */
    const swaps = draws.map(({ at, colour }) => ({ at, shows: colour === null ? null : named(colour) }));
    const shown = [...this.#shown].filter(([showing]) => this.#told.has(showing));
    const wanted = shown.map(([, trial]) => expected(trial, frameUs));
    // Masks come back in later trials, so each trial is judged from its stimulus to that of the next one.
    const starts = wanted.map(({ stimulus }) => swaps.findIndex(({ shows }) => shows === stimulus.name));
    const verdicts = wanted.flatMap((one, place) => {
      const start = starts[place] ?? -1;
      const next = starts.slice(place + 1).find((at) => at > start);
      return judge(swaps.slice(Math.max(0, start - 1), next), [one], frameUs);
    });
    return { verdicts, told: shown.map(([showing]) => this.#told.get(showing) ?? {}) };
  }

  /** The colours of all images by their tokens, decoded by the browser. @returns {Promise<Map<string, Colour>>} */
  async #colours() {
    /** @type {Map<string, Colour>} */
    const colours = new Map();
    for (const [token, body] of this.#images) {
      const file = body.toString('base64');
      const colour = await this.page.evaluate(async (encoded) => {
        const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes]));
        const canvas = new OffscreenCanvas(1, 1);
        const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d'));
        context.drawImage(image, 0, 0);
        return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
      }, file);
      colours.set(token, /** @type {Colour} */ (/** @type {unknown} */ (colour)));
    }
    return colours;
  }
}

/**
 * What a perfect screen shows.
 * @param {ScreenTrial} trial
 * @param {number} frameUs
 * @returns {Expected}
 */
function expected({ parts }, frameUs) {
  const image = parts.find((part) => part.part === 'image');
  const masks = parts.find((part) => part.part === 'masks');
  if (image === undefined || masks === undefined) throw new TypeError('a trial without a stimulus or masks');
  const frames = plannedFrames(masks.each_ms, frameUs);
  return {
    stimulus: { name: image.image, frames: plannedFrames(image.exposure_ms ?? 0, frameUs) },
    masks: masks.images.map((name) => ({ name, frames })),
  };
}

/** Keeps one processor busy until it is stopped. @returns {() => void} */
export function busyCore() {
  const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
  return () => child.kill('SIGKILL');
}
