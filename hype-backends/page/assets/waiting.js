// The waiting room: the screen of raters who wait until the study needs them, and the signal that it begins.

import { h, keycap, put } from './dom.js';
import { pressesEnter } from './rest.js';

/**
 * @import { Screen, WaitingPage } from "../page.js"
 * @import { Language } from "./i18n.js"
 * @import { Patience } from "./patience.js"
 * @import { View } from "./frame.js"
 */

/** How often the page asks whether the study begins, in milliseconds. The worker has the same. */
const ASK_AGAIN = 3000;

/**
 * The screen of a rater who waits. `over` asks the server again and again, and returns the screen after the wait, or nothing if the
 * page shows something else meanwhile.
 * @typedef {View & { over: (ask: () => Promise<Screen>, isShown: () => boolean) => Promise<Screen | null> }} WaitingRoomView
 */

/**
 * @param {WaitingPage} screen
 * @param {Language} language
 * @param {Patience} patience
 * @returns {WaitingRoomView}
 */
export function waitingRoomView(screen, language, patience) {
  const heading = h('h1', { tabindex: -1 }, language.text('waiting.title'));
  const text = h('p', {});
  const earned = h('p', { role: 'status' });
  const rate = h('p', { class: 'note' });
  const element = h(
    'div',
    { class: 'page', 'data-screen': 'waiting' },
    heading,
    text,
    earned,
    rate,
    h('p', { class: 'note' }, language.text('waiting.signal')),
  );
  const update = (/** @type {WaitingPage} */ { minutes, minutes_left, pay, per_hour, currency }) => {
    put(text, language.text('waiting.text', { count: minutes_left }));
    put(earned, language.text('waiting.earned', { count: minutes, pay: language.money(pay, currency) }));
    put(rate, language.text('waiting.rate', { pay: language.money(per_hour, currency) }));
  };
  update(screen);
  const asking = new Asking(patience);
  return {
    element,
    heading,
    stop: () => asking.stop(),
    async over(ask, isShown) {
      for (;;) {
        await asking.again();
        if (!isShown()) return null;
        const found = await ask();
        if (!isShown()) return null;
        if (found.screen !== 'waiting') return found;
        update(found);
      }
    },
  };
}

/**
 * The screen after the wait. The rater begins, who may have been elsewhere when the study began.
 * @param {Language} language
 * @param {() => void} begin
 * @returns {View}
 */
export function calledView(language, begin) {
  const heading = h('h1', { tabindex: -1 }, language.text('called.title'));
  const element = h(
    'div',
    { class: 'page centred', 'data-screen': 'called' },
    heading,
    h('p', {}, language.text('called.text')),
    h(
      'div',
      { class: 'actions' },
      h(
        'button',
        { type: 'button', class: 'primary', 'data-action': 'begin', onclick: begin },
        language.text('instructions.begin'),
        keycap('Enter'),
      ),
    ),
  );
  return { element, heading, press: pressesEnter(begin) };
}

/** The times at which a page that waits asks again, also in a hidden window. */
class Asking {
  /** @type {Worker | null} */
  #ticker = null;

  /** @param {Patience} patience */
  constructor(patience) {
    this.patience = patience;
    try {
      this.#ticker = new Worker(new URL('ticker.js', import.meta.url));
    } catch {
      // Without workers, the page's own timers have to do.
    }
  }

  /** Waits until it is time to ask. */
  async again() {
    const { patience } = this;
    if (this.#ticker === null) return patience.wait(ASK_AGAIN);
    this.#ticker.onmessage = () => patience.hurry();
    // In case the worker never starts.
    await patience.wait(2 * ASK_AGAIN);
    this.#ticker.onmessage = null;
  }

  stop() {
    this.#ticker?.terminate();
  }
}

/** Plays a short, quiet tone, if the browser lets the page: the rater has to have pressed something before. */
export function playTone() {
  if (navigator.userActivation?.hasBeenActive === false) return;
  try {
    const audio = new AudioContext();
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    const { currentTime: now } = audio;
    tone.frequency.value = 660;
    volume.gain.setValueAtTime(0, now);
    volume.gain.linearRampToValueAtTime(0.06, now + 0.02);
    volume.gain.linearRampToValueAtTime(0, now + 0.4);
    tone.connect(volume).connect(audio.destination);
    tone.onended = () => void audio.close();
    tone.start(now);
    tone.stop(now + 0.4);
  } catch {
    // A page without sound has its title and its screen.
  }
}
