// Trials on the page: loads their images, presents and asks them, and loads those of the trial that follows meanwhile.

import { Failure } from './api.js';
import { Disturbed } from './disturbance.js';
import { imageScale } from './fit.js';
import { isPlayed, isTimed } from './flow.js';
import { AskingForm } from './form.js';
import { textsIn, tokensOf } from './gallery.js';
import { Images } from './images.js';
import { Presenter } from './presenter.js';
import { loadingView } from './ready.js';
import { Stage } from './stage.js';
import { AHEAD, nameOf } from './states.js';
import { refusedView, stalledView, trialView, waitingView } from './trial.js';
import { DoesNotFit } from './surface.js';

/**
 * @import { Answer, Calibration, Display, ImageScale, TrialPage } from "../page.js"
 * @import { Event, Page, State, Trouble } from "./flow.js"
 * @import { Frame } from "./frame.js"
 * @import { Language } from "./i18n.js"
 * @import { Outbox } from "./outbox.js"
 * @import { StepBack, TrialView } from "./trial.js"
 */

/**
 * The application as trials need it.
 * @typedef {object} Course
 * @property {() => Page} page
 * @property {() => Language} language
 * @property {() => Promise<Calibration | null> | null} measured
 * @property {(event: Event) => void} dispatch
 * @property {(reason: Trouble, detail: string) => void} trouble
 */

/** The trials of a session. */
export class Trials {
  #images = new Images();
  /** The images of the trial that follows, loaded while the current one is judged. @type {{ of: string, images: Images } | null} */
  #early = null;
  #abort = new AbortController();
  /** @type {{ stage: Stage, presenter: Presenter } | null} */
  #timed = null;
  /** @type {TrialView | null} */
  #shown = null;

  /**
   * @param {Frame} frame
   * @param {Outbox} outbox
   * @param {Course} course
   */
  constructor(frame, outbox, course) {
    this.frame = frame;
    this.outbox = outbox;
    this.course = course;
  }

  /** Ends a presentation that the rater has turned away from. */
  pause() {
    this.#abort.abort(new Disturbed('blur'));
  }

  /** Ends the current trial. */
  stop() {
    this.#abort.abort();
    this.#end();
  }

  /** Frees the images of timed trials. */
  release() {
    this.#timed?.presenter.release();
  }

  /** Waits for the receipt of an answer. */
  wait() {
    this.#shown?.wait();
    this.#timed?.stage.wait();
  }

  /** Tells the rater something in place of the questions. @param {HTMLElement} message */
  tell(message) {
    if (this.#shown === null) this.#timed?.stage.tell(message);
    else this.#shown.tell(message);
  }

  get #state() {
    return this.course.page().state;
  }

  /**
   * Loads the images of the trial that follows, once those of the current trial are loaded. Images without a use any more
   * are released.
   */
  lookAhead() {
    const { state, memory } = this.course.page();
    const next = state.at === 'rest' && !isTimed(state.screen.trial) ? state.screen : memory.following;
    if (next === null || !AHEAD.has(state.at)) {
      this.#early?.images.release();
      this.#early = null;
      return;
    }
    if (state.at === 'asking' && this.#shown === null) return;
    const of = nameOf(next);
    if (this.#early?.of === of) return;
    this.#early?.images.release();
    this.#early = { of, images: new Images() };
    this.#early.images.load(tokensOf(next.trial.parts), () => undefined).catch(() => undefined);
  }

  /** Loads the images of a timed block. @param {TrialPage} screen */
  async load(screen) {
    const state = this.#state;
    const view = loadingView(this.course.language());
    this.frame.show(view);
    const calibration = await this.course.measured();
    if (this.#timed === null) {
      const stage = new Stage();
      this.#timed = { stage, presenter: new Presenter(stage.canvas, calibration) };
    }
    try {
      await this.#timed.presenter.load(screen.block, view.progress);
    } catch (error) {
      if (this.#state !== state) return;
      if (error instanceof Error && 'status' in error && (error.status === 404 || error.status === 401)) {
        throw new Failure('reopen', 'no-such-image', error.message);
      }
      return this.course.trouble('images', String(error));
    }
    if (this.#state === state) this.course.dispatch({ type: 'loaded' });
  }

  /** Shows what is shown for a limited time. @param {TrialPage} screen */
  async present({ trial }) {
    const state = this.#state;
    const timed = this.#timed;
    if (timed === null) throw new Error('a presentation without a stage');
    const { stage, presenter } = timed;
    this.#end();
    this.#abort = new AbortController();
    const conditions = trial.parts.filter((part) => part.part === 'condition');
    await this.#images.load(tokensOf(conditions), () => undefined);
    stage.prepare(trial.parts, this.#images, this.course.language());
    this.frame.show(stage);
    // The canvas takes its size from the page's layout, which is ready after a frame.
    await frames(2);
    const name = { trial: trial.number, showing: trial.showing };
    // A page that is reloaded during a presentation was hidden.
    await this.outbox.expect({ ...name, reason: 'hidden', display: null });
    try {
      // Plates are never shown for a limited time.
      const parts = trial.parts.filter((part) => part.part !== 'plate');
      const presented = await presenter.show(parts, this.#abort.signal);
      if (this.#state === state) this.course.dispatch({ type: 'presented', presented });
    } catch (error) {
      if (this.#state !== state) return;
      if (error instanceof DoesNotFit) return this.course.trouble('size', error.message);
      if (!(error instanceof Disturbed)) throw error;
      const body = { ...name, reason: error.reason, display: error.display };
      this.course.dispatch({ type: 'report', report: { to: 'disturbed', body } });
    }
  }

  /** @param {Extract<State, { at: "asking" }>} state */
  ask(state) {
    return isTimed(state.screen.trial) ? this.#askTimed(state) : this.#askUntimed(state);
  }

  /** @param {Extract<State, { at: "asking" }>} state */
  #askTimed({ screen, presented, refused }) {
    const from = presented?.ended ?? performance.now();
    const isText = textsIn(screen.trial.parts, this.course.language()).length > 0;
    const scale = () => (presented === null || isText ? null : imageScale(presented.factor));
    const form = this.#form(screen, from, presented?.display ?? null, scale);
    const state = this.#state;
    this.#timed?.stage.ask(form, refused === null ? null : refusedView(refused, this.course.language()));
    this.#openAfter(performance.now(), screen.trial.answer_after_ms, () => {
      if (this.#state === state) return this.#timed?.stage;
    });
  }

  /** @param {Extract<State, { at: "asking" }>} state */
  async #askUntimed(state) {
    const { screen, refused } = state;
    if (refused === null) {
      const early = this.#early?.of === nameOf(screen) ? this.#early.images : undefined;
      if (early !== undefined) this.#early = null;
      this.#end(early);
      const tokens = tokensOf(screen.trial.parts);
      const waiting = waitingView(screen.trial, this.course.language());
      if (!this.#images.has(tokens)) this.frame.show(waiting);
      try {
        await this.#images.load(tokens, waiting.progress);
      } catch (error) {
        if (this.#state !== state) return;
        if (error instanceof Failure && error.remedy === 'reopen') throw error;
        return this.course.trouble(isPlayed(screen.trial) ? 'clips' : 'images', String(error));
      }
      if (this.#state !== state) return;
    }
    let from = performance.now();
    const form = this.#form(
      screen,
      () => from,
      null,
      () => this.#shown?.scale() ?? null,
    );
    const remark = this.#remark(refused);
    const view = trialView(screen.trial, form, this.#images, this.course.language(), remark, this.#stepBack(screen));
    this.#shown = view;
    this.frame.show(view);
    view.fit();
    this.lookAhead();
    requestAnimationFrame((painted) => {
      from = painted;
      const current = () => (this.#shown === view && this.#state === state ? view : undefined);
      const { playing } = view;
      if (playing === null) return this.#openAfter(painted, screen.trial.answer_after_ms, current);
      if (current() !== undefined) this.#play(screen, playing, painted, current);
    });
  }

  /**
   * Plays clips or lets texts be read, and then enables the questions.
   * @param {TrialPage} screen
   * @param {NonNullable<TrialView["playing"]>} playing
   * @param {number} onset
   * @param {() => TrialView | undefined} current
   */
  #play({ trial }, playing, onset, current) {
    // The controls take presses before the questions do.
    this.frame.guard.open(onset);
    playing.start(onset, {
      unlocked: (when) => this.#openAfter(when, Math.max(0, onset + trial.answer_after_ms - when), current),
      stalled: () => {
        if (current() === undefined) return;
        const body = { trial: trial.number, showing: trial.showing, reason: /** @type {const} */ ('stalled') };
        this.course.dispatch({ type: 'report', report: { to: 'disturbed', body: { ...body, display: null } } });
      },
      failed: (error) => {
        if (current() !== undefined) this.course.trouble('clips', String(error));
      },
    });
  }

  /** What a rater reads before the questions: why an answer was refused, or a trial was interrupted. @param {string | null} refused */
  #remark(refused) {
    const language = this.course.language();
    if (refused !== null) return refusedView(refused, language);
    return this.course.page().memory.interrupted === 'stalled' ? stalledView(language) : null;
  }

  /** @param {TrialPage} screen @returns {StepBack | null} */
  #stepBack({ back, given }) {
    if (given !== null) return { to: 'current', act: () => this.course.dispatch({ type: 'keep' }) };
    return back ? { to: 'before', act: () => this.course.dispatch({ type: 'back' }) } : null;
  }

  /**
   * Enables the questions of a trial, and lets the presses count that begin from then on.
   * @param {number} from in the clock of `event.timeStamp`
   * @param {number} milliseconds
   * @param {() => { enable: () => void } | undefined} current the screen, if the trial is still asked
   */
  #openAfter(from, milliseconds, current) {
    const open = () => {
      const screen = current();
      if (screen === undefined) return;
      this.frame.guard.open(from + milliseconds);
      screen.enable();
    };
    if (milliseconds === 0) open();
    else setTimeout(open, milliseconds);
  }

  /**
   * @param {TrialPage} screen
   * @param {number | (() => number)} from when the response time begins
   * @param {Display | null} display
   * @param {() => ImageScale | null} scale
   */
  #form({ trial, given }, from, display, scale) {
    const answer = (/** @type {Answer} */ answer, /** @type {number} */ when) => {
      const began = typeof from === 'number' ? from : from();
      const rt_us = Math.max(0, Math.round((when - began) * 1000));
      const inspection = this.#shown?.inspection(began, when) ?? null;
      const played = this.#shown?.playing?.report(when) ?? null;
      const body = {
        ...{ trial: trial.number, showing: trial.showing, answer, rt_us, display, scale: scale() },
        ...(inspection === null ? {} : { inspection }),
        ...(played === null ? {} : { played }),
        ...(given === null ? {} : { revision: given.revision }),
      };
      this.course.dispatch({ type: 'report', report: { to: 'answer', body } });
    };
    const before = /** @type {Answer | null} */ (given?.answer ?? null);
    return new AskingForm(trial, this.#images, this.course.language(), answer, before);
  }

  /** @param {Images} [next] the images of the next trial */
  #end(next = new Images()) {
    this.#shown = null;
    this.#timed?.presenter.clear();
    this.#images.release();
    this.#images = next;
  }
}

/** @param {number} count @returns {Promise<void>} when so many frames have begun */
async function frames(count) {
  for (let left = count; left > 0; left -= 1) await new Promise((resolve) => requestAnimationFrame(resolve));
}
