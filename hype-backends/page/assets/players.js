// The clips of a trial: those to be judged begin together, after those that they are compared with; they are kept in step, wait
// for one that stands still, and are played again together. What was played and when clips stood still is reported with the
// answer.

import { disable, h, keycap } from './dom.js';
import { Hidden } from './hidden.js';
import { freeKeys, isForPage, keyOf } from './keys.js';
import { Member } from './member.js';
import { added, inUnits, isFinished, isSlow, lengthOf, micros, reported } from './played.js';
import { restarted, slipsOf, stepped, together } from './step.js';

/**
 * @import { Playback, Played } from "../page.js"
 * @import { Language } from "./i18n.js"
 * @import { Ranges } from "./played.js"
 */

/** The unit of what was played, in seconds. */
const BIN = 0.1;

/** The keys to pause and to play again, the preferred ones first. */
const KEYS = ['pkjhy', 'rgzqu'];

/** The key that begins. */
const BEGIN = 'Enter';

/** Whether the rater has begun a trial with clips on this page, after which browsers play clips by themselves. */
let hasBegun = false;

/**
 * What happens to what is played, each at most once.
 * @typedef {object} Events
 * @property {(when: number) => void} unlocked enough of all was seen
 * @property {() => void} stalled it stood still for too long
 * @property {(error: unknown) => void} failed it cannot be played
 */

/** The clips of one trial. */
export class Players {
  /** `loading` until all can be played through, `ready` until the rater begins, `held` while one stands still. @type {"loading" | "ready" | "playing" | "held" | "paused" | "over" | "stopped"} */
  #at = 'loading';
  /** In the order of the report. */
  #members;
  /** Those that play together, in the order in which they play. @type {readonly (readonly Member[])[]} */
  #rounds;
  /** The round that plays, or the next one to play. */
  #round = 0;
  #playback;
  #language;
  #took;
  #step;
  #onset = 0;
  #looked = 0;
  #frame = 0;
  /** @type {Hidden | null} */
  #hidden = null;
  /** Whether clips are paused only because the page is hidden. */
  #resumes = false;
  #isLocked = true;
  /** Whether clips go back to their beginnings. */
  #isRewinding = false;
  /** @type {Events | null} */
  #events = null;
  #listening = new AbortController();

  /**
   * @param {readonly HTMLVideoElement[]} judged in the order of their places
   * @param {readonly HTMLVideoElement[]} before those that they are compared with, which play before them
   * @param {Playback} playback
   * @param {ReadonlySet<string>} answers the keys that answer
   * @param {Language} language
   * @param {number} took the seconds in which they were loaded
   */
  constructor(judged, before, playback, answers, language, took) {
    const [first, last] = [before.map((one) => new Member(one)), judged.map((one) => new Member(one))];
    this.#members = [...last, ...first];
    this.#rounds = first.length > 0 ? [first, last] : [last];
    this.#playback = playback;
    this.#language = language;
    this.#took = took;
    this.#step = together(0);
    if (playback.unequal === 'independent' && playback.replay) for (const one of judged) one.loop = true;
    const [pause = null, again = null] = freeKeys(KEYS, answers);
    this.keys = { pause, again };
    this.bar = h('progress', { class: 'passed', max: 1, value: 0, 'aria-label': language.text('players.passed') });
    this.pausing = h('span', {}, language.text('players.pause'));
    this.pauseButton = tool('pause', this.pausing, pause, () => this.#toggle());
    this.againButton = tool('again', h('span', {}, language.text('players.again')), again, () => this.#again());
    this.said = h('p', { class: 'why', role: 'status' });
    this.begin = h(
      'button',
      { type: 'button', class: 'primary begin', 'data-action': 'play', 'aria-keyshortcuts': BEGIN, hidden: true },
      language.text('players.begin'),
      keycap(BEGIN),
    );
    this.begin.addEventListener('click', () => this.#begin());
    this.element = h(
      'div',
      { class: 'player', role: 'group', 'aria-label': language.text('players.controls') },
      this.bar,
      h('div', { class: 'controls' }, this.pauseButton, playback.replay && this.againButton, this.said),
      this.begin,
    );
    this.#show();
  }

  /** The keys of the controls. */
  get taken() {
    return [this.keys.pause, this.keys.again].filter((key) => key !== null);
  }

  /**
   * The trial is on the screen.
   * @param {number} onset
   * @param {Events} events
   */
  start(onset, events) {
    this.#onset = onset;
    this.#events = events;
    const { signal } = this.#listening;
    this.#hidden = new Hidden(onset, signal, (is, when) => (is === 'hidden' ? this.#leave(when) : this.#return()));
    for (const { element } of this.#members) {
      element.addEventListener('error', () => this.#fail(element.error?.message), { signal });
      element.addEventListener('canplaythrough', () => this.#load(), { signal });
      // What failed before it was on the screen has told so already.
      if (element.error !== null) queueMicrotask(() => this.#fail(element.error?.message));
    }
    this.#load();
    this.#unlock(onset);
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (!isForPage(event)) return;
    const own = event.target instanceof Element && event.target.closest('button, summary, input, a') !== null;
    const key = keyOf(event);
    if (this.#at === 'ready' && event.key === BEGIN && !own) this.#begin();
    else if (key === this.keys.pause) this.#toggle();
    else if (key === this.keys.again) this.#again();
    else return;
    event.preventDefault();
  }

  /**
   * What was played until an answer.
   * @param {number} when
   * @returns {Played}
   */
  report(when) {
    const onset = this.#onset;
    return {
      members: this.#members.map((member) => ({
        first_us: micros((member.first ?? onset) - onset),
        shown_us: micros(member.played),
        seen: inUnits(member.seen, BIN, member.duration),
        replays: member.replays,
        dropped: member.dropped,
        stalls: reported(stallsOf(member, when), onset),
      })),
      offset_us: micros(this.#step.largest * 1000),
      slips: reported(slipsOf(this.#step), onset),
      hidden_us: micros(this.#hidden?.until(when) ?? 0),
    };
  }

  /** Ends playing: the last frames stay. */
  halt() {
    this.#at = 'stopped';
    this.#listening.abort();
    for (const member of this.#members) member.hold();
  }

  /** Frees the clips. */
  stop() {
    this.halt();
    for (const member of this.#members) member.stop();
  }

  /** Begins when all clips can be played through: by itself, if browser and rater let it. */
  #load() {
    const enough = HTMLMediaElement.HAVE_ENOUGH_DATA;
    if (this.#at !== 'loading' || this.#members.some(({ element }) => element.readyState < enough)) return;
    this.#at = 'ready';
    if (hasBegun && !matchMedia('(prefers-reduced-motion: reduce)').matches) this.#play();
    else this.#show();
  }

  #begin() {
    if (this.#at !== 'ready') return;
    hasBegun = true;
    this.#play();
  }

  /** Plays all clips, in one task. */
  #play() {
    if (document.hidden) {
      this.#resumes = true;
      return this.#rest('paused');
    }
    const now = performance.now();
    const isFirst = this.#at === 'ready';
    this.#at = 'playing';
    this.#step = restarted(this.#step, this.#playing.length);
    this.#looked = now;
    for (const { element } of this.#playing) element.playbackRate = 1;
    Promise.all(this.#playing.map((member) => member.play(now))).catch((error) => {
      if (error.name === 'AbortError' || this.#at === 'stopped') return;
      if (error.name !== 'NotAllowedError') return this.#fail(error);
      // The browser wants a press.
      this.#rest(isFirst ? 'ready' : 'paused');
    });
    this.#show();
    this.#lookNext();
  }

  #lookNext() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame((at) => this.#look(at));
  }

  /** Looks at the clips in each frame of the screen, while they play or wait for one of them. @param {number} now */
  #look(now) {
    if (this.#at !== 'playing' && this.#at !== 'held') return;
    const passed = Math.max(0, now - this.#looked);
    this.#looked = now;
    if (this.#at === 'playing') this.#follow(now, passed);
    else if (this.#playing.every((member) => member.isReady)) return this.#play();
    if (this.#standstill(now) > this.#playback.stalls_at_most_ms) return this.#give(this.#events?.stalled);
    this.#unlock(now);
    const { length, time } = this.#whole;
    this.bar.value = length === 0 ? 0 : Math.min(1, time / length);
    this.#lookNext();
  }

  /** @param {number} now @param {number} passed */
  #follow(now, passed) {
    const members = this.#playing;
    for (const member of members) member.look(now, passed);
    if (members.every(({ isOver }) => isOver)) {
      if (this.#round === this.#rounds.length - 1) return this.#rest('over');
      this.#round += 1;
      return this.#play();
    }
    // Keys of the keyboard for all pages, and the browser, pause clips, too.
    if (members.some(({ element, isOver }) => element.paused && !isOver)) return this.#pause(now);
    if (this.#playback.unequal === 'independent') return;
    if (members.some((member) => !member.isOver && member.isStuck(now))) return this.#hold();
    const frame = Math.max(...members.map((member) => member.frame));
    // The first frame after a pause may have been there before.
    const shown = members.map((member) => (member.isOver || !member.isMoving ? null : member.shown));
    this.#step = stepped(this.#step, shown, frame, now);
    for (const [at, { element }] of members.entries()) {
      const rate = this.#step.rates[at] ?? 1;
      if (element.playbackRate !== rate) element.playbackRate = rate;
    }
  }

  /** All wait until the one that stands still can go on. */
  #hold() {
    this.#at = 'held';
    for (const member of this.#playing) member.hold();
    this.#show();
  }

  /** @param {"ready" | "paused" | "over"} at */
  #rest(at) {
    this.#at = at;
    this.#show();
  }

  /** @param {number} now */
  #pause(now) {
    for (const member of this.#members) member.pause(now);
    this.#rest('paused');
  }

  /** Pauses or plays on. */
  #toggle() {
    if (this.#isRewinding) return;
    if (this.#at === 'playing' || this.#at === 'held') this.#pause(performance.now());
    else if (this.#at === 'paused') this.#play();
  }

  /** Plays all clips again from their beginnings, once all have ended. */
  async #again() {
    if (!this.#isRepeatable) return;
    this.#isRewinding = true;
    this.#pause(performance.now());
    this.#round = 0;
    await Promise.all(this.#members.map((member) => member.rewind()));
    this.#isRewinding = false;
    if (this.#at === 'paused') this.#play();
  }

  get #isRepeatable() {
    const isShown = this.#at === 'playing' || this.#at === 'paused' || this.#at === 'over';
    return this.#playback.replay && isShown && !this.#isRewinding && this.#members.every((member) => member.ended);
  }

  /** The page is hidden. @param {number} when */
  #leave(when) {
    if (this.#at !== 'playing' && this.#at !== 'held') return;
    this.#pause(when);
    this.#resumes = true;
  }

  /** The page is seen again. */
  #return() {
    if (this.#resumes && this.#at === 'paused') this.#play();
    this.#resumes = false;
  }

  /** How long clips stood still or were apart, in milliseconds. @param {number} now */
  #standstill(now) {
    const all = [...this.#members.flatMap((member) => stallsOf(member, now)), ...slipsOf(this.#step)];
    return lengthOf(all.reduce((/** @type {Ranges} */ found, [from, to]) => added(found, from, to), []));
  }

  /** Lets the rater answer when enough of each clip was played. @param {number} now */
  #unlock(now) {
    if (!this.#isLocked) return;
    const { finish } = this.#playback;
    const isDone = (/** @type {Member} */ { seen, duration, ended }) =>
      finish === 0 || (duration > 0 && isFinished({ seen, whole: duration, ended }, finish));
    if (!this.#members.every(isDone)) return;
    this.#isLocked = false;
    this.#show();
    this.#events?.unlocked(now);
  }

  /** The clips of the round that plays. */
  get #playing() {
    return this.#rounds[this.#round] ?? [];
  }

  /** The length of all rounds together, each as long as its longest clip, and where they are. */
  get #whole() {
    const longest = this.#rounds.map((round) => {
      const all = round.map(({ duration, element }) => ({ length: duration, time: element.currentTime }));
      return all.reduce((one, other) => (other.length > one.length ? other : one), { length: 0, time: 0 });
    });
    return longest.reduce((all, one) => ({ length: all.length + one.length, time: all.time + one.time }));
  }

  /** @param {unknown} error */
  #fail(error) {
    if (this.#at === 'stopped') return;
    this.#give(() => this.#events?.failed(error));
  }

  /** Gives up the trial. @param {(() => void) | undefined} tell */
  #give(tell) {
    this.halt();
    tell?.();
  }

  /** Shows what can be done, and why there is nothing to answer yet. */
  #show() {
    const language = this.#language;
    const isRunning = this.#at === 'playing' || this.#at === 'held';
    this.begin.hidden = this.#at !== 'ready';
    this.element.dataset['at'] = this.#at;
    this.pausing.textContent = language.text(this.#at === 'paused' ? 'players.play' : 'players.pause');
    disable(this.pauseButton, !isRunning && this.#at !== 'paused');
    disable(this.againButton, !this.#isRepeatable);
    const count = this.#members.length;
    const why = this.#playback.finish < 1 ? 'playback.part' : 'players.locked';
    const locked = this.#isLocked ? language.text(why, { count }) : '';
    // Said before the first trial begins, when the rater can still leave without loss.
    const isWarned = this.#at === 'ready' && !hasBegun && isSlow(this.#took, this.#whole.length);
    const seconds = language.numbers.format(Math.round(this.#took));
    this.said.textContent = isWarned ? language.text('players.slow', { seconds }) : locked;
  }
}

/** When a clip stood still, even now. @param {Member} member @param {number} now @returns {(readonly [number, number])[]} */
function stallsOf({ stalls, still }, now) {
  return still === null || still >= now ? stalls : [...stalls, [still, now]];
}

/**
 * A button of the controls, which does nothing while it is disabled and keeps the focus.
 * @param {string} name
 * @param {HTMLElement} face
 * @param {string | null} key
 * @param {() => void} act
 */
function tool(name, face, key, act) {
  const attributes = { type: 'button', class: 'tool', 'data-action': name, 'aria-keyshortcuts': key, onclick: act };
  return h('button', attributes, face, key !== null && keycap(key));
}
