// Wheels, drags and pinches over images, as shares of the place of the image beneath.

import { AfterDrag } from './after-drag.js';

/**
 * @import { Point } from "./sight.js"
 */

/** How far a pointer moves before a press becomes a drag, in CSS pixels. */
const SLACK = 6;
/** The turn of a wheel that is a step, in CSS pixels; a notch of common wheels is more. */
const NOTCH = 60;
/** The height of a line, in which some wheels count. */
const LINE = 20;
/** The pinch of a touchpad, which browsers report as a small turn of the wheel, is this much larger. */
const PINCH = 8;

/**
 * What gestures do. Points are those of the place where a gesture began, and may lie outside of it.
 * @typedef {object} Actions
 * @property {(way: "in" | "out", at: Point, when: number) => void} step
 * @property {(at: Point, place: DOMRect) => "move" | "divide" | null} grasp what a drag from here does
 * @property {(by: Point, when: number) => void} move
 * @property {(at: Point, when: number) => void} divide
 * @property {(from: Point, to: Point, spread: number, when: number) => void} pinch two fingers, whose middle was at `from`
 *   when they came down, have it at `to` and are `spread` times as far apart
 * @property {(at: Point, when: number) => void} pinched the fingers are lifted
 */

/** Follows pointers and wheels over the places of images. */
export class Gestures {
  #events = new AbortController();
  #after;
  /** The pointers that are down, where they are. @type {Map<number, Point>} */
  #down = new Map();
  /** @type {{ place: DOMRect, does: "move" | "divide" | null, from: Point, dragged: boolean } | null} */
  #drag = null;
  /** @type {{ place: DOMRect, from: Point, apart: number } | null} */
  #pinch = null;
  #turned = 0;

  /**
   * @param {HTMLElement} trial
   * @param {readonly HTMLElement[]} places of images
   * @param {Actions} actions
   */
  constructor(trial, places, actions) {
    this.actions = actions;
    const { signal } = this.#events;
    this.#after = new AfterDrag(trial, signal);
    for (const place of places) {
      place.addEventListener('wheel', (event) => this.#wheel(place, event), { signal, passive: false });
      place.addEventListener('pointerdown', (event) => this.#take(place, event), { signal });
      // Two fingers pinch the images, not the page.
      place.addEventListener('touchstart', (event) => event.touches.length > 1 && event.preventDefault(), {
        signal,
        passive: false,
      });
    }
    document.addEventListener('pointermove', (event) => this.#carry(event), { signal });
    for (const type of /** @type {const} */ (['pointerup', 'pointercancel'])) {
      document.addEventListener(type, (event) => this.#release(event), { signal });
    }
  }

  stop() {
    this.#events.abort();
  }

  /** @param {HTMLElement} place @param {WheelEvent} event */
  #wheel(place, event) {
    // Where the trial is too large for its window, the wheel scrolls it.
    if (!event.ctrlKey && isScrolled(place)) return;
    event.preventDefault();
    const unit = [1, LINE, place.clientHeight][event.deltaMode] ?? 1;
    const turn = event.deltaY * unit * (event.ctrlKey ? PINCH : 1);
    this.#turned = Math.sign(turn) === Math.sign(this.#turned) ? this.#turned + turn : turn;
    if (Math.abs(this.#turned) < NOTCH) return;
    const way = this.#turned < 0 ? 'in' : 'out';
    this.#turned = 0;
    this.actions.step(way, pointOf(event, place.getBoundingClientRect()), event.timeStamp);
  }

  /** @param {HTMLElement} element @param {PointerEvent} event */
  #take(element, event) {
    if (event.button !== 0) return;
    this.#down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const place = element.getBoundingClientRect();
    if (this.#down.size === 1) {
      const does = this.actions.grasp(pointOf(event, place), place);
      this.#drag = { place, does, from: { x: event.clientX, y: event.clientY }, dragged: false };
    } else if (this.#down.size === 2) {
      this.#drag = null;
      const { middle, apart } = this.#fingers();
      this.#pinch = { place, from: middle, apart };
    }
  }

  /** Where two fingers are. */
  #fingers() {
    const [one, two] = [...this.#down.values()];
    if (one === undefined || two === undefined) return { middle: { x: 0, y: 0 }, apart: 1 };
    const middle = { x: (one.x + two.x) / 2, y: (one.y + two.y) / 2 };
    return { middle, apart: Math.max(1, Math.hypot(one.x - two.x, one.y - two.y)) };
  }

  /** @param {PointerEvent} event */
  #carry(event) {
    const before = this.#down.get(event.pointerId);
    if (before === undefined) return;
    const now = { x: event.clientX, y: event.clientY };
    const [drag, pinch] = [this.#drag, this.#pinch];
    if (pinch !== null) {
      this.#down.set(event.pointerId, now);
      const { middle, apart } = this.#fingers();
      const at = (/** @type {Point} */ { x, y }) => pointOf({ clientX: x, clientY: y }, pinch.place);
      this.actions.pinch(at(pinch.from), at(middle), apart / pinch.apart, event.timeStamp);
    } else if (drag !== null && drag.does !== null) {
      if (!drag.dragged && Math.hypot(now.x - drag.from.x, now.y - drag.from.y) < SLACK) return;
      drag.dragged = true;
      this.#down.set(event.pointerId, now);
      const { place } = drag;
      if (drag.does === 'divide') this.actions.divide(pointOf(event, place), event.timeStamp);
      else {
        const by = { x: (now.x - before.x) / place.width, y: (now.y - before.y) / place.height };
        this.actions.move(by, event.timeStamp);
      }
    }
  }

  /** @param {PointerEvent} event */
  #release(event) {
    if (!this.#down.has(event.pointerId)) return;
    if (this.#pinch !== null) {
      const { place } = this.#pinch;
      const { x, y } = this.#fingers().middle;
      this.#pinch = null;
      this.#after.ended(event.timeStamp);
      this.actions.pinched(pointOf({ clientX: x, clientY: y }, place), event.timeStamp);
    } else if (this.#drag?.dragged === true) {
      this.#after.ended(event.timeStamp);
    }
    this.#drag = null;
    this.#down.delete(event.pointerId);
  }
}

/**
 * @param {{ clientX: number, clientY: number }} event
 * @param {DOMRect} place
 * @returns {Point}
 */
function pointOf({ clientX, clientY }, { left, top, width, height }) {
  return { x: (clientX - left) / width, y: (clientY - top) / height };
}

/** Whether something around a place scrolls. @param {HTMLElement} place */
function isScrolled(place) {
  for (let around = place.parentElement; around !== null; around = around.parentElement) {
    const scrolls = ['auto', 'scroll'].includes(getComputedStyle(around).overflowY);
    if (scrolls && around.scrollHeight > around.clientHeight) return true;
  }
  return false;
}
