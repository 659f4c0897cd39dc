// The application: performs the actions of each state, and feeds the results back as events.

import { Failure, HOME, backOff } from './api.js';
import { consentView } from './consent.js';
import { endView } from './end.js';
import { environmentWith, measure } from './environment.js';
import { beginning, step } from './flow.js';
import { Frame } from './frame.js';
import { fillScreen, leaveScreen } from './fullscreen.js';
import { loadLanguage } from './i18n.js';
import { instructionsView } from './instructions.js';
import {
  asideView,
  closedView,
  crowdedView,
  declinedView,
  openingView,
  takenOverView,
  troubleView,
} from './notices.js';
import { Outbox } from './outbox.js';
import { ownWindow } from './panel.js';
import { Patience } from './patience.js';
import { previewView } from './preview.js';
import { readyView } from './ready.js';
import { restView } from './rest.js';
import { ON_TRIAL, OUTSIDE, isBrief } from './states.js';
import { verdictView } from './trial.js';
import { Trials } from './trials.js';
import { calledView, playTone, waitingRoomView } from './waiting.js';

/**
 * @import { Calibration, ConsentPage, InstructionsPage, PreviewPage, Receipt, Report, Screen } from "../page.js"
 * @import { Api } from "./api.js"
 * @import { Event, Page, State, Trouble } from "./flow.js"
 * @import { Language } from "./i18n.js"
 * @import { Store } from "./store.js"
 */

/**
 * What the page stores and does outside the session.
 * @typedef {object} Outside
 * @property {string} wanted the language asked for
 * @property {(language: string) => void} remember
 * @property {(screen: Screen) => void} opened
 * @property {boolean} isOpened whether the page was opened from a panel's frame
 * @property {string | null} contact the address to write to before the study is known
 * @property {() => void} next starts again for another rater
 */

/** How often in a row a session is opened again before that counts as a fault. */
const REOPENINGS = 3;

/** How often a panel's frame asks whether the session in another window is over, in milliseconds. */
const LOOK_AGAIN = 5000;

/** The page's application. */
export class App {
  /** @type {Page} */
  #page = beginning();
  /** @type {Language | null} */
  #language = null;
  #patience = new Patience();
  #reopened = 0;
  /** Whether the study has begun after a wait, and the rater has not seen it yet. */
  #isCalled = false;
  /** @type {Promise<unknown> | null} */
  #sending = null;
  /** @type {Promise<Calibration | null> | null} */
  #measured = null;
  /**
   * @param {HTMLElement} body
   * @param {Api} api
   * @param {Store} store
   * @param {Outside} outside
   */
  constructor(body, api, store, outside) {
    this.api = api;
    this.outside = outside;
    this.wanted = outside.wanted;
    this.frame = new Frame(body, {
      leave: () => this.#dispatch({ type: 'leave' }),
      pause: () => this.trials.pause(),
      hurry: () => this.#patience.hurry(),
    });
    this.outbox = new Outbox(
      store,
      (report) => api.report(report),
      (status) => this.frame.saved(status),
      this.#patience,
    );
    this.trials = new Trials(this.frame, this.outbox, {
      page: () => this.#page,
      language: () => this.#spoken,
      measured: () => this.#measured,
      dispatch: (event) => this.#dispatch(event),
      trouble: (reason, detail) => this.#trouble(reason, detail),
    });
    this.outbox.acknowledged = (report, receipt) => this.#received(report, receipt);
  }

  /** Whether a report would be left unsent if the rater left the page now. */
  get unsent() {
    return this.outbox.unsent;
  }

  /** Loads the language, and asks the server for the current screen. */
  async start() {
    await this.#persist(() => this.#speak(this.wanted));
    this.#enter(this.#page.state);
  }

  /** Says why the page cannot take part. @param {Trouble} reason */
  async cannotStart(reason) {
    await this.#persist(() => this.#speak(this.wanted));
    this.#trouble(reason, '');
  }

  /** Asks the server for the current screen again, such as after the page returned from the browser's history. */
  reopen() {
    this.#dispatch({ type: 'open' });
  }

  /** Another tab of this browser has opened the session. */
  takenOver() {
    const { at } = this.#page.state;
    if (!OUTSIDE.has(at)) this.#dispatch({ type: 'taken-over' });
  }

  /** The network is back, or the rater asks for an attempt. */
  hurry() {
    this.#patience.hurry();
  }

  /** The page may be seen again, and the session in another window over. */
  look() {
    if (this.#page.state.at === 'aside') this.#patience.hurry();
  }

  /** @param {Event} event */
  #dispatch(event) {
    const before = this.#page;
    this.#page = step(before, event);
    if (this.#page.state !== before.state) this.#enter(this.#page.state);
    if (event.type === 'report' && this.#page !== before) this.#send(event.report);
    this.trials.lookAhead();
  }

  /**
   * Stores a report, and sends it with those before it.
   * @param {Report} report
   */
  async #send(report) {
    await this.outbox.add(report);
    const sending = this.outbox.flush();
    if (sending === this.#sending) return;
    this.#sending = sending;
    sending.catch((error) => {
      if (!OUTSIDE.has(this.#page.state.at)) this.#fail(error);
    });
  }

  /** @param {Report} report @param {Receipt} receipt */
  async #received(report, { correct, next }) {
    this.#reopened = 0;
    await this.#speak(next.language).catch(() => undefined);
    this.#dispatch({ type: 'receipt', of: report, correct, next });
  }

  /** Resets the page for the next rater. */
  async #next() {
    const { state } = this.#page;
    this.frame.show(openingView(this.#spoken));
    try {
      await this.#persist(() => this.api.next());
      this.outside.next();
    } catch (error) {
      if (this.#page.state === state) this.#fail(error);
    }
  }

  /** @param {Screen} screen */
  async #arrive(screen) {
    await this.#speak(screen.language).catch(() => undefined);
    this.#dispatch({ type: 'screen', screen });
  }

  /** @param {State} state */
  #enter(state) {
    this.#work(state).catch((error) => {
      if (this.#page.state === state) this.#fail(error);
    });
  }

  /** @param {unknown} error */
  #fail(error) {
    if (!(error instanceof Failure)) {
      this.#trouble('fault', String(error));
    } else if (error.remedy === 'taken-over') {
      this.#dispatch({ type: 'taken-over' });
    } else if (error.remedy === 'refused' && error.report?.to === 'answer') {
      this.#refused(error.report, error.message);
    } else if (error.remedy === 'reopen') {
      this.#reopen(`${error.code} ${error.message}`.trim());
    } else {
      this.#trouble('fault', `${error.code} ${error.message}`.trim());
    }
  }

  /**
   * Shows the form of a refused answer again. If the page is at the following trial already, the session is opened again at
   * the refused one.
   * @param {Report} report
   * @param {string} message
   */
  #refused(report, message) {
    const { state } = this.#page;
    this.#dispatch({ type: 'refused', of: report, message });
    if (this.#page.state === state) this.outbox.clear().then(() => this.#reopen(message));
  }

  /** @param {string} detail of the fault, if the session has been opened too often */
  #reopen(detail) {
    if (this.#reopened === REOPENINGS) {
      if (this.api.shown !== 'frame') return this.#trouble('fault', detail);
      // The browser stores no cookie for a frame.
      this.api.shown = 'aside';
      this.#reopened = 0;
    }
    this.#reopened += 1;
    this.#dispatch({ type: 'open' });
  }

  /** @param {Trouble} reason @param {string} detail */
  #trouble(reason, detail) {
    this.#dispatch({ type: 'trouble', reason, detail });
  }

  /**
   * Performs the action of a state.
   * @param {State} state
   * @returns {Promise<void>}
   */
  async #work(state) {
    const { frame } = this;
    const language = this.#spoken;
    this.#about(state);
    if (!ON_TRIAL.has(state.at)) this.trials.stop();
    switch (state.at) {
      case 'opening':
        frame.show(openingView(language));
        return this.#open(state);
      case 'leaving':
        frame.show(openingView(language));
        if (this.outbox.unsent) await this.outbox.flush();
        return this.#arrive(await this.#persist(() => this.api.leave()));
      case 'preview':
        return this.#preview(state.screen);
      case 'aside':
        return this.#aside(state);
      case 'consent':
        return this.#consent(state.screen);
      case 'declined':
        return frame.show(declinedView(state.screen, language, () => this.#dispatch({ type: 'open' })));
      case 'instructions':
        return this.#instruct(state.screen);
      case 'waiting':
        return this.#wait(state);
      case 'called':
        return frame.show(calledView(language, () => this.#dispatch({ type: 'begun' })));
      case 'rest':
        return frame.show(
          restView(state.screen.trial.rest_ms ?? 0, language, () => this.#dispatch({ type: 'rested' })),
        );
      case 'loading':
        return this.trials.load(state.screen);
      case 'ready': {
        const start = async () => {
          await fillScreen();
          this.#dispatch({ type: 'started' });
        };
        return frame.show(readyView(state.screen.trial, state.interrupted, language, start));
      }
      case 'showing':
        return this.trials.present(state.screen);
      case 'asking':
        return this.trials.ask(state);
      case 'returning':
        this.trials.wait();
        return this.#return(state);
      case 'saving':
        return this.trials.wait();
      case 'feedback': {
        this.trials.tell(verdictView(state.correct ? 'right' : 'wrong', language));
        setTimeout(
          () => this.#page.state === state && this.#dispatch({ type: 'feedback-over' }),
          state.screen.trial.feedback_ms ?? 0,
        );
        return;
      }
      case 'end':
        leaveScreen();
        this.trials.release();
        return frame.show(
          endView(state.screen, language, { isOpened: this.outside.isOpened, next: () => this.#next() }),
        );
      case 'closed':
        return frame.show(closedView(state.screen, language));
      case 'taken-over':
        leaveScreen();
        return frame.show(takenOverView(language, () => this.#dispatch({ type: 'open' })));
      case 'trouble': {
        leaveScreen();
        const again = () => (state.reason === 'size' ? this.#dispatch({ type: 'open' }) : location.reload());
        const leave = () => this.#dispatch({ type: 'leave' });
        return frame.show(
          troubleView(state.reason, state.detail, this.study?.contact ?? this.outside.contact, language, {
            again,
            leave,
          }),
        );
      }
    }
  }

  /**
   * Fetches the trial before, once the server has its answer.
   * @param {Extract<State, { at: "returning" }>} state
   */
  async #return(state) {
    if (this.outbox.unsent) await this.outbox.flush();
    const screen = await this.#persist(() => this.api.back(state.screen.trial.number - 1));
    if (this.#page.state === state) await this.#arrive(screen);
  }

  get #spoken() {
    if (this.#language === null) throw new Error('no language is loaded');
    return this.#language;
  }

  /** @param {State} state */
  #about(state) {
    if ('screen' in state) {
      this.study = state.screen.study;
      this.leaving = state.screen.leaving ?? null;
    }
    const inSession =
      !OUTSIDE.has(state.at) && state.at !== 'opening' && state.at !== 'leaving' && state.at !== 'trouble';
    this.frame.about(this.study ?? null, inSession ? 'in-session' : 'outside', this.leaving ?? null);
    this.frame.tellProgress(inSession && 'screen' in state && state.screen.screen === 'trial' ? state.screen : null);
    if (state.at === 'showing' || state.at === 'asking' || OUTSIDE.has(state.at)) this.#isCalled = false;
    if (this.#isCalled) document.title = this.#language?.text('called.title') ?? document.title;
    document.body.dataset['at'] = state.at;
    document.body.classList.toggle('brief', isBrief(state));
  }

  /** @param {string} tag */
  async #speak(tag) {
    if (this.#language !== null && this.asked === tag) return;
    this.#language = await loadLanguage(tag);
    this.asked = tag;
    this.frame.speak(this.#language);
  }

  /**
   * Repeats a request while the server cannot be reached.
   * @template T
   * @param {() => Promise<T>} ask
   * @returns {Promise<T>}
   */
  async #persist(ask) {
    for (let failures = 1; ; failures += 1) {
      try {
        const answer = await ask();
        this.frame.saved(this.outbox.unsent ? 'sending' : 'saved');
        return answer;
      } catch (error) {
        if (error instanceof Failure && error.remedy !== 'retry') throw error;
        // The server answers, and lets raters enter one after another.
        if (error instanceof Failure && error.code === 'crowded') this.frame.show(crowdedView(this.#spoken));
        else this.frame.saved('offline');
        await this.#patience.wait(backOff(failures, error instanceof Failure ? error.after : null, Math.random));
      }
    }
  }

  /** @param {State} state */
  async #open(state) {
    const screen = await this.#persist(() => this.api.open(this.wanted));
    if (this.#page.state !== state) return;
    this.outside.opened(screen);
    // Another window may have a session, and reports of its own.
    if (screen.screen === 'aside' || screen.screen === 'preview') return this.#arrive(screen);
    if (screen.screen !== 'trial') {
      // Stored reports can only belong to a finished session.
      await this.outbox.clear();
      return this.#arrive(screen);
    }
    await this.outbox.restore();
    const receipt = await this.outbox.flush();
    if (this.#page.state === state) await this.#arrive(receipt?.next ?? screen);
  }

  /**
   * Shows that the session goes on in another window, until it is over.
   * @param {Extract<State, { at: "aside" }>} state
   */
  async #aside(state) {
    this.frame.show(asideView(state.screen, this.#spoken, ownWindow(HOME, this.api.arrival)));
    while (this.#page.state === state) {
      await this.#patience.wait(LOOK_AGAIN);
      if (this.#page.state !== state) return;
      const screen = await this.#persist(() => this.api.open(this.wanted));
      if (this.#page.state !== state) return;
      if (screen.screen !== 'aside' || screen.session !== state.screen.session) await this.#arrive(screen);
    }
  }

  /**
   * Waits until the study needs raters, and says so.
   * @param {Extract<State, { at: "waiting" }>} state
   */
  async #wait(state) {
    const view = waitingRoomView(state.screen, this.#spoken, this.#patience);
    this.frame.show(view);
    const ask = () => this.#persist(() => this.api.wait());
    const screen = await view.over(ask, () => this.#page.state === state);
    if (screen === null) return;
    this.#isCalled = screen.screen === 'trial';
    if (this.#isCalled) playTone();
    return this.#arrive(screen);
  }

  /** @param {PreviewPage} screen */
  #preview(screen) {
    const speak = (/** @type {string} */ language) => this.#reword(language);
    this.frame.show(previewView(screen, this.#spoken, speak));
  }

  /**
   * Asks for the next screen, and shows it.
   * @param {() => Promise<Screen>} request
   */
  async #request(request) {
    const { state } = this.#page;
    try {
      const next = await this.#persist(request);
      if (this.#page.state === state) await this.#arrive(next);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Shows the screen in another language. @param {string} language */
  #reword(language) {
    this.wanted = language;
    this.outside.remember(language);
    return this.#request(() => this.api.open(language));
  }

  /** @param {ConsentPage} screen */
  #consent(screen) {
    this.frame.show(
      consentView(screen, this.#spoken, this.#measuring(), {
        agree: (adult) =>
          this.#request(async () => {
            await this.outbox.clear();
            const next = await this.api.consent(screen.language, screen.text, adult);
            this.outside.opened(next);
            return next;
          }),
        decline: () => this.#dispatch({ type: 'declined' }),
        again: () => {
          this.#measured = null;
          this.#consent(screen);
        },
        speak: (language) => this.#reword(language),
      }),
    );
  }

  /** The measurement of the screen's frames, which begins with the first call. */
  #measuring() {
    this.#measured ??= measure();
    return this.#measured;
  }

  /** @param {InstructionsPage} screen */
  #instruct(screen) {
    const environment = this.#measuring().then(environmentWith);
    this.frame.show(
      instructionsView(screen, this.#spoken, environment, {
        begin: (found, comprehension) =>
          this.#persist(() => this.api.begin(found, comprehension))
            .then((next) => this.#arrive(next))
            .catch((error) => this.#fail(error)),
        leave: () => this.#dispatch({ type: 'leave' }),
        again: () => {
          this.#measured = null;
          this.#instruct(screen);
        },
        failed: (error) => this.#fail(error),
      }),
    );
  }
}
