// The texts of a trial: one column, or several next to each other with equal type, each with its own scrolling. Narrow windows
// show one of them at a time, by tabs. What of each was in view is reported with the answer.

import { h, uniqueId } from './dom.js';
import { fragmentOf } from './fragment.js';
import { Hidden } from './hidden.js';
import { added, inUnits, isRead, isReadable, lengthOf, micros } from './played.js';

/**
 * @import { Playback, Played } from "../page.js"
 * @import { Language } from "./i18n.js"
 * @import { Ranges } from "./played.js"
 * @import { Events } from "./players.js"
 */

/** The windows in which texts have tabs. */
const NARROW = '(max-width: 899.98px)';

/** The units in which heights are reported. */
const WHOLE = 100;

/** How near to the end of a text its view ends when the end is in view, in CSS pixels. */
const NEAR = 2;

/** The milliseconds after which it is looked again whether texts have been in view for long enough. */
const AGAIN = 250;

/** Where arrow keys lead from a tab. @type {Record<string, number>} */
const ARROWS = { ArrowLeft: -1, ArrowRight: 1 };

/** One text, with what of it was in view in hundredths of its height, and when. */
class Column {
  /** @type {Ranges} */
  seen = [];
  /** @type {number | null} */
  first = null;
  shown = 0;

  /** @param {string} name @param {string} html @param {Language} language */
  constructor(name, html, language) {
    const id = uniqueId('text');
    this.box = h('div', {
      ...{ class: 'text', id: `${id}-box`, dir: 'auto', tabindex: 0, translate: 'no' },
      ...{ role: 'region', 'aria-labelledby': `${id}-name` },
    });
    this.box.append(fragmentOf(html));
    this.passed = h('progress', { class: 'passed', max: 1, value: 0, 'aria-label': language.text('reading.passed') });
    this.tab = h(
      'button',
      { type: 'button', class: 'tab', role: 'tab', id: `${id}-tab`, 'aria-controls': `${id}-column` },
      h('span', { dir: 'auto' }, name),
    );
    const title = h('h2', { class: 'caption', id: `${id}-name`, dir: 'auto' }, name);
    this.element = h('section', { class: 'column', id: `${id}-column` }, title, this.box, this.passed);
  }

  /** What is in view, in hundredths. */
  get view() {
    const { scrollTop, clientHeight, scrollHeight } = this.box;
    const bottom = scrollTop + clientHeight;
    const to = bottom >= scrollHeight - NEAR ? WHOLE : (bottom / scrollHeight) * WHOLE;
    return { from: (scrollTop / scrollHeight) * WHOLE, to };
  }
}

/** The texts of one trial. */
export class Reading {
  #playback;
  #language;
  #columns;
  #onset = 0;
  #looked = 0;
  /** The text that a narrow window shows. */
  #front = 0;
  #isLocked = true;
  /** @type {Events | null} */
  #events = null;
  /** @type {Hidden | null} */
  #hidden = null;
  #listening = new AbortController();
  #narrow = matchMedia(NARROW);
  #observer = new ResizeObserver(() => this.#look(performance.now()));

  /**
   * @param {readonly { name: string, html: string }[]} texts in the order of their places
   * @param {Playback} playback
   * @param {Language} language
   */
  constructor(texts, playback, language) {
    this.#playback = playback;
    this.#language = language;
    this.#columns = texts.map(({ name, html }) => new Column(name, html, language));
    this.said = h('p', { class: 'why', role: 'status' });
    this.tabs = h('div', { class: 'tabs', role: 'tablist', dir: 'ltr', 'aria-label': language.text('reading.tabs') });
    for (const [at, { tab }] of this.#columns.entries()) {
      tab.addEventListener('click', ({ timeStamp }) => this.#turn(at, timeStamp));
      this.tabs.append(tab);
    }
    this.tabs.addEventListener('keydown', (event) => this.#move(event));
    this.element = h(
      'div',
      { class: 'reading' },
      this.#columns.length > 1 && this.tabs,
      // The sides are part of the design, as those of images are.
      h(
        'div',
        { class: 'columns', dir: 'ltr' },
        this.#columns.map((column) => column.element),
      ),
      this.said,
    );
    this.#arrange();
  }

  /** The boxes of the texts, in the order of their places. */
  get texts() {
    return this.#columns.map(({ box }) => box);
  }

  /** The keys of the controls. @type {string[]} */
  taken = [];

  /**
   * The trial is on the screen.
   * @param {number} onset
   * @param {Events} events
   */
  start(onset, events) {
    this.#onset = onset;
    this.#looked = onset;
    this.#events = events;
    const { signal } = this.#listening;
    this.#hidden = new Hidden(onset, signal, (_, when) => this.#look(when));
    this.#narrow.addEventListener('change', ({ timeStamp }) => this.#turn(this.#front, timeStamp), { signal });
    for (const { box } of this.#columns) {
      box.addEventListener('scroll', ({ timeStamp }) => this.#look(timeStamp), { signal, passive: true });
      this.#observer.observe(box);
    }
    this.#look(onset);
  }

  /** Texts have no keys of their own. */
  press() {}

  /**
   * What was in view until an answer.
   * @param {number} when
   * @returns {Played}
   */
  report(when) {
    this.#look(when);
    const members = this.#columns.map(({ first, shown, seen }) => ({
      first_us: micros((first ?? this.#onset) - this.#onset),
      shown_us: micros(shown),
      seen: inUnits(seen, 1, WHOLE),
      ...{ replays: 0, dropped: 0, stalls: [] },
    }));
    return { members, offset_us: 0, slips: [], hidden_us: micros(this.#hidden?.until(when) ?? 0) };
  }

  /** Ends what is recorded: the texts stay. */
  halt() {
    this.#listening.abort();
    this.#observer.disconnect();
    clearTimeout(this.#timer);
  }

  stop() {
    this.halt();
  }

  /** Whether texts have tabs now, which a window that was turned changes. */
  #isInTabs = false;

  /** Whether a text is in view, as far as its scrolling lets it. @param {number} at */
  #isShown(at) {
    return !this.#isInTabs || at === this.#front;
  }

  /** Brings a text to the front, or arranges them anew. What was in view until then was in the old arrangement. @param {number} at @param {number} when */
  #turn(at, when) {
    this.#look(when);
    this.#front = at;
    this.#arrange();
    this.#look(when);
  }

  /** @param {KeyboardEvent} event */
  #move(event) {
    const to = (this.#front + (ARROWS[event.key] ?? 0) + this.#columns.length) % this.#columns.length;
    if (to === this.#front) return;
    event.preventDefault();
    this.#turn(to, event.timeStamp);
    this.#columns[to]?.tab.focus();
  }

  /** Shows all texts, or one of them and tabs. */
  #arrange() {
    const isInTabs = this.#narrow.matches && this.#columns.length > 1;
    this.#isInTabs = isInTabs;
    this.element.dataset['tabs'] = String(isInTabs);
    this.tabs.hidden = !isInTabs;
    for (const [at, { element, tab }] of this.#columns.entries()) {
      const isShown = this.#isShown(at);
      element.hidden = !isShown;
      tab.setAttribute('aria-selected', String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      if (isInTabs) element.setAttribute('role', 'tabpanel');
      else element.removeAttribute('role');
      if (isInTabs) element.setAttribute('aria-labelledby', tab.id);
      else element.removeAttribute('aria-labelledby');
    }
  }

  /** Records what is in view, and for how long it was since the last look. @param {number} now */
  #look(now) {
    if (this.#listening.signal.aborted || this.#events === null) return;
    const hidden = this.#hidden?.until(now) ?? 0;
    const passed = Math.max(0, now - this.#looked - (hidden - this.#away));
    this.#looked = Math.max(now, this.#looked);
    this.#together += passed;
    this.#away = hidden;
    for (const [at, column] of this.#columns.entries()) {
      if (!this.#isShown(at)) continue;
      if (column.first !== null) column.shown += passed;
      if (document.hidden) continue;
      column.first ??= now;
      const { from, to } = column.view;
      column.seen = added(column.seen, from, to);
      column.passed.value = lengthOf(column.seen) / WHOLE;
    }
    this.#unlock(now);
  }

  /** How long the page was hidden until the last look. */
  #away = 0;

  /** For how long any text was in view. */
  #together = 0;

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** Lets the rater answer when enough of each text was in view, for long enough. @param {number} now */
  #unlock(now) {
    if (!this.#isLocked) return;
    const { finish, reading_ms: least = [] } = this.#playback;
    const isSeen = this.#columns.every(({ seen }) => isRead(seen, WHOLE, finish));
    const shown = this.#columns.map((column) => column.shown);
    this.#isLocked = !isSeen || !isReadable(shown, this.#together, least);
    clearTimeout(this.#timer);
    if (this.#isLocked && least.length > 0) this.#timer = setTimeout(() => this.#look(performance.now()), AGAIN);
    const count = this.#columns.length;
    const why = finish < 1 || isSeen ? 'playback.part' : 'reading.locked';
    const said = this.#isLocked ? this.#language.text(why, { count }) : '';
    if (this.said.textContent !== said) this.said.textContent = said;
    if (!this.#isLocked) this.#events?.unlocked(now);
  }
}
