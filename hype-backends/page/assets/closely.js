// Looking closely at the images of a trial: all of them zoom and move in step, flip in one place, and are compared with their
// source by a divider; by mouse, by keyboard and by touch.

import { disable, h, keycap } from './dom.js';
import { Gestures } from './gestures.js';
import { freeKeys, isForPage, keyOf } from './keys.js';
import { captionOf, coverOf, figureOf, isAlike, lensOver, nameOf } from './lens.js';
import { Looks } from './looks.js';
import {
  MIDDLE,
  WHOLE,
  apart,
  divided,
  flipped,
  isWhole,
  moved,
  settled,
  stepped,
  stepsFrom,
  zoomedTo,
} from './sight.js';

/**
 * @import { Enlargement, Inspection } from "../page.js"
 * @import { Language } from "./i18n.js"
 * @import { Sight } from "./sight.js"
 */

/** How far an arrow key moves images, as a share of their places. */
const NUDGE = 0.1;

/** How near to the divider a press moves it, in CSS pixels. */
const GRIP = 24;

/** The keys for flipping and for the divider, the preferred ones first. */
const KEYS = ['xvbnm', 'cdsgh'];

/** The same for clips. */
const CLIP_KEYS = ['fxvbnm', 'cdsgh'];

/** Where arrow keys move images, if they do not move something else. @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** What uses arrow keys itself. */
const OWN_ARROWS = 'input, select, textarea, summary, [data-form="ranking"]';

/** The means to look closely at one trial. */
export class Closely {
  #trial;
  #language;
  #enlarge;
  /** @type {Sight} */
  #sight = WHOLE;
  /** Device pixels for each pixel of a whole image. */
  #factor = 1;
  #steps = [1];
  #looks = new Looks();
  #gestures;
  /** What takes turns in one place. @type {HTMLElement[]} */
  #turns;
  #names;
  /** The lens of the source. @type {HTMLElement | null} */
  #source = null;
  /** The copies of the source over images. @type {HTMLElement[]} */
  #covers = [];
  /** Where images were when two fingers came down. @type {Sight | null} */
  #pinched = null;

  /**
   * @param {HTMLElement} trial with elements `.scaled`
   * @param {ReadonlySet<string>} answers the keys that answer
   * @param {Enlargement} enlarge how pixels are enlarged
   * @param {Language} language
   */
  constructor(trial, answers, enlarge, language) {
    this.#trial = trial;
    this.#language = language;
    this.#enlarge = enlarge;
    const images = /** @type {(HTMLImageElement | HTMLVideoElement)[]} */ ([...trial.querySelectorAll('.scaled')]);
    const lenses = images.map((image) => ({ image, lens: lensOver(image) }));
    const source = lenses.find(({ lens }) => lens.closest('.condition.source') !== null);
    const judged = lenses.filter(({ lens }) => lens.closest('.condition') === null);
    const gallery = judged.length > 1;
    const turning = gallery ? judged : source === undefined ? [] : [source, ...judged];
    this.#turns = turning.length < 2 ? [] : turning.map(({ lens }) => figureOf(lens));
    this.#names = turning.map(({ image, lens }) => nameOf(image) || captionOf(figureOf(lens)));
    if (source !== undefined && source.image instanceof HTMLImageElement) {
      const { image } = source;
      this.#source = source.lens;
      const like = judged.filter((one) => isAlike(one.image, image));
      this.#covers = like.map(({ lens }) => coverOf(lens, image));
      trial.addEventListener('change', () => this.#tint());
    }
    const hasClips = judged.some(({ image }) => image instanceof HTMLVideoElement);
    const [flip = null, divide = null] = freeKeys(hasClips ? CLIP_KEYS : KEYS, answers);
    this.keys = { flip, divide };
    this.said = h('p', { class: 'unseen', role: 'status' });
    this.shown = h('span', { class: 'zoom' });
    this.slider = h('input', {
      type: 'range',
      dir: 'ltr',
      class: 'divider-place',
      min: 0,
      max: 100,
      step: 1,
      'aria-label': language.text('closely.place'),
      oninput: (/** @type {Event} */ { timeStamp }) => this.#divide(this.slider.valueAsNumber / 100, timeStamp),
    });
    this.buttons = {
      out: this.#button({ name: 'closely.out', face: sign('−'), key: '-' }, (when) => this.#step('out', when)),
      whole: this.#button({ name: 'closely.whole', face: this.shown, key: 'Escape' }, (when) => this.#see(WHOLE, when)),
      in: this.#button({ name: 'closely.in', face: sign('+'), key: 'Plus' }, (when) => this.#step('in', when)),
      flip: this.#button({ name: 'closely.flip', face: null, key: flip }, (when) => this.#flip(when)),
      apart: this.#button(
        { name: 'closely.side', face: h('span', { class: 'two', 'aria-hidden': 'true' }), key: null },
        (when) => this.#see(apart(this.#sight), when),
      ),
      divide: this.#button({ name: 'closely.divider', face: null, key: divide }, (when) => this.#toggle(when)),
    };
    const { buttons } = this;
    this.tools = h(
      'div',
      { class: 'closely', role: 'group', 'aria-label': language.text('closely.tools') },
      h('div', { class: 'zooming', dir: 'ltr' }, buttons.out, buttons.whole, buttons.in),
      this.#turns.length > 0 && h('div', { class: 'flipping' }, buttons.flip, buttons.apart),
      this.#covers.length > 0 && [buttons.divide, this.slider],
      this.said,
    );
    this.#gestures = new Gestures(
      trial,
      lenses.map(({ lens }) => lens),
      {
        step: (way, at, when) => this.#see(stepped(this.#sight, this.#steps, way, at), when),
        grasp: (at, { width }) => {
          const { divider, zoom } = this.#sight;
          if (divider !== null && Math.abs(at.x - divider) * width <= GRIP) return 'divide';
          return zoom > 1 ? 'move' : null;
        },
        move: (by, when) => this.#see(moved(this.#sight, by.x, by.y), when),
        divide: (at, when) => this.#divide(at.x, when),
        pinch: (from, to, spread, when) => {
          this.#pinched ??= this.#sight;
          const most = this.#steps.at(-1) ?? 1;
          const zoomed = zoomedTo(this.#pinched, Math.min(most, this.#pinched.zoom * spread), from);
          this.#see(moved(zoomed, to.x - from.x, to.y - from.y), when);
        },
        pinched: (at, when) => {
          this.#pinched = null;
          this.#see(settled(this.#sight, this.#steps, at), when);
        },
      },
    );
    this.#show();
  }

  /**
   * The trial was fitted to its window.
   * @param {number} factor device pixels for each pixel of a whole image
   */
  fitted(factor) {
    this.#factor = factor;
    this.#steps = stepsFrom(factor);
    this.#see(settled(this.#sight, this.#steps, MIDDLE), performance.now());
  }

  /**
   * Handles a key that answers nothing.
   * @param {KeyboardEvent} event
   */
  press(event) {
    if (!isForPage(event, 'held too')) return;
    const { timeStamp: when } = event;
    const arrow = ARROWS[event.key];
    if (arrow !== undefined) {
      const moves = this.#sight.zoom > 1 && !(event.target instanceof Element && event.target.closest(OWN_ARROWS));
      if (!moves) return;
      this.#see(moved(this.#sight, arrow[0] * NUDGE, arrow[1] * NUDGE), when);
    } else if (event.key === '+' || event.key === '=') {
      this.#step('in', when);
    } else if (event.key === '-') {
      this.#step('out', when);
    } else if (event.repeat) {
      return;
    } else if (event.key === 'Escape') {
      if (isWhole(this.#sight)) return;
      this.#see(WHOLE, when);
    } else if (keyOf(event) === this.keys.flip && this.#turns.length > 0) {
      this.#flip(when);
    } else if (keyOf(event) === this.keys.divide && this.#covers.length > 0) {
      this.#toggle(when);
    } else {
      return;
    }
    event.preventDefault();
  }

  /**
   * What was looked at until an answer.
   * @param {number} onset of the images
   * @param {number} when
   * @returns {Inspection | null}
   */
  inspection(onset, when) {
    return this.#looks.report(onset, when);
  }

  stop() {
    this.#gestures.stop();
  }

  /** @param {"in" | "out"} way @param {number} when */
  #step(way, when) {
    this.#see(stepped(this.#sight, this.#steps, way, MIDDLE), when);
  }

  /** @param {number} when */
  #flip(when) {
    this.#see(flipped(this.#sight, this.#turns.length), when);
  }

  /** Places the divider or takes it away. @param {number} when */
  #toggle(when) {
    const isOn = this.#sight.divider !== null;
    this.#divide(isOn ? null : 0.5, when);
    // The slider takes the arrow keys.
    if (isOn) this.buttons.divide.focus();
    else this.slider.focus();
  }

  /** @param {number | null} at @param {number} when */
  #divide(at, when) {
    this.#see(divided(this.#sight, at), when);
  }

  /** @param {Sight} sight @param {number} when */
  #see(sight, when) {
    const before = this.#sight;
    this.#sight = sight;
    this.#looks.change(sight, this.#factor * sight.zoom, when);
    this.#show();
    const said = this.#words(before, sight);
    if (said !== null) this.said.textContent = said;
  }

  /**
   * What a change is in words; `null` if there is nothing to say.
   * @param {Sight} before
   * @param {Sight} now
   */
  #words(before, now) {
    const language = this.#language;
    if (now.front !== before.front) {
      return now.front === null
        ? language.text('closely.apart')
        : language.text('closely.front', { label: this.#names[now.front] ?? '' });
    }
    if ((now.divider === null) !== (before.divider === null)) {
      return now.divider === null
        ? language.text('closely.undivided')
        : language.text('closely.divided', { source: language.text('condition.source') });
    }
    return now.zoom === before.zoom ? null : language.text('closely.zoomed', { zoom: tenths(now.zoom) });
  }

  /** Shows the sight. */
  #show() {
    const { zoom, x, y, front, divider } = this.#sight;
    const { style, dataset } = this.#trial;
    style.setProperty('--zoom', String(zoom));
    style.setProperty('--shift-x', `${(0.5 - x * zoom) * 100}%`);
    style.setProperty('--shift-y', `${(0.5 - y * zoom) * 100}%`);
    style.setProperty('--divider', `${(divider ?? 0) * 100}%`);
    dataset['zoom'] = zoom > 1 ? 'closer' : 'whole';
    const factor = this.#factor * zoom;
    const isSquare = this.#enlarge === 'nearest' ? factor > 0.999 : Math.abs(factor - 1) < 0.001;
    dataset['pixels'] = zoom > 1 && isSquare ? 'square' : 'fitted';
    dataset['divided'] = String(divider !== null);
    this.#turn(front);
    const { buttons } = this;
    this.shown.textContent = `${this.#language.numbers.format(tenths(zoom))}×`;
    disable(buttons.out, zoom <= 1);
    disable(buttons.in, zoom >= (this.#steps.at(-1) ?? 1) / 1.001);
    buttons.flip.setAttribute('aria-pressed', String(front !== null));
    disable(buttons.apart, front === null);
    buttons.divide.setAttribute('aria-pressed', String(divider !== null));
    this.tools.dataset['divided'] = String(divider !== null);
    if (divider !== null) {
      this.slider.value = String(Math.round(divider * 100));
      this.#tint();
    }
    disable(buttons.whole, isWhole(this.#sight));
  }

  /** Shows the region to edit over the copies of the source where it is shown over the source. */
  #tint() {
    const region = this.#source?.querySelector('canvas.region');
    if (!(region instanceof HTMLCanvasElement) || this.#sight.divider === null) return;
    for (const cover of this.#covers) {
      const copy = cover.querySelector('canvas') ?? h('canvas', { width: region.width, height: region.height });
      if (!copy.isConnected) {
        copy.getContext('2d')?.drawImage(region, 0, 0);
        cover.firstElementChild?.append(copy);
      }
      copy.hidden = region.hidden;
    }
  }

  /** Brings an image to the front of one place, or each into its own. @param {number | null} front */
  #turn(front) {
    const focused = this.#turns.find((figure) => figure.contains(document.activeElement));
    for (const [at, figure] of this.#turns.entries()) {
      const side = front === null ? null : at === front ? 'front' : 'behind';
      if (side === null) delete figure.dataset['turn'];
      else figure.dataset['turn'] = side;
    }
    const row = this.#turns[0]?.closest('.gallery, .row');
    row?.classList.toggle('turning', front !== null);
    // What is behind has no focus.
    if (focused !== undefined && front !== null && focused !== this.#turns[front]) this.#turns[front]?.focus();
  }

  /**
   * @param {{ name: string, face: HTMLElement | null, key: string | null }} shown the name of its text, which stands on it unless
   *   there is another face, and its key
   * @param {(when: number) => void} act
   */
  #button({ name, face, key }, act) {
    const text = this.#language.text(name);
    const cap = key === 'Escape' ? keycap('Esc') : face === null && key !== null && keycap(key);
    const button = h(
      'button',
      {
        ...{ type: 'button', class: face === null ? 'tool' : 'tool faced', 'data-action': name.replace('.', '-') },
        ...{ title: face === null ? null : text, 'aria-keyshortcuts': key },
        onclick: (/** @type {MouseEvent} */ event) => {
          if (!button.hasAttribute('aria-disabled')) act(event.timeStamp);
        },
      },
      face,
      h('span', { class: face === null ? null : 'unseen' }, ' ', text),
      cap,
    );
    return button;
  }
}

/** What stands on a button instead of its text. @param {string} character */
const sign = (character) => h('span', { 'aria-hidden': 'true' }, character);

/** @param {number} number */
const tenths = (number) => Math.round(number * 10) / 10;
