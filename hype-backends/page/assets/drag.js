// Dragging a card of a ranking by mouse, pen or finger.

import { AfterDrag } from './after-drag.js';

/**
 * @import { Drop } from "./order.js"
 */

/** How far a pointer moves before a press becomes a drag, in CSS pixels. */
const SLACK = 6;
/** The share of a tier's height, above and below, in which a card is dropped between tiers instead of into one. */
const EDGE = 0.28;

/** @typedef {{ value: string, card: HTMLElement, pointer: number, x: number, y: number, moved: boolean }} Held */

/** Follows pointers over the lists of one ranking. */
export class DragToRank {
  /** @type {Held | null} */
  #held = null;
  #events = new AbortController();
  #after;

  /**
   * @param {HTMLElement} lists
   * @param {"ties" | "strict"} rule
   * @param {(value: string, target: Drop | "rest") => void} dropped
   */
  constructor(lists, rule, dropped) {
    this.lists = lists;
    this.rule = rule;
    this.dropped = dropped;
    const { signal } = this.#events;
    lists.addEventListener('pointerdown', (event) => this.#take(event), { signal });
    document.addEventListener('pointermove', (event) => this.#carry(event), { signal });
    document.addEventListener('pointerup', (event) => this.#release(event), { signal });
    document.addEventListener('pointercancel', () => this.#letGo(), { signal });
    document.addEventListener('keydown', (event) => event.key === 'Escape' && this.#letGo(), { signal });
    this.#after = new AfterDrag(lists, signal);
  }

  stop() {
    this.#letGo();
    this.#events.abort();
  }

  /** @param {PointerEvent} event */
  #take(event) {
    if (!(event.target instanceof Element) || event.button !== 0 || this.#held !== null) return;
    const card = event.target.closest('[data-value]');
    const grip = event.target.closest('.handle, .waiting');
    const value = card?.getAttribute('data-value');
    if (!(card instanceof HTMLElement) || grip === null || value === null || value === undefined) return;
    this.#held = { value, card, pointer: event.pointerId, x: event.clientX, y: event.clientY, moved: false };
  }

  /** @param {PointerEvent} event */
  #carry(event) {
    const held = this.#held;
    if (held === null || held.pointer !== event.pointerId) return;
    const [x, y] = [event.clientX - held.x, event.clientY - held.y];
    if (!held.moved && Math.hypot(x, y) < SLACK) return;
    held.moved = true;
    held.card.classList.add('dragged');
    held.card.style.translate = `${x}px ${y}px`;
    this.#mark(this.#target(event, held.value));
  }

  /** @param {PointerEvent} event */
  #release(event) {
    const held = this.#held;
    if (held === null || held.pointer !== event.pointerId) return;
    const target = held.moved ? this.#target(event, held.value) : null;
    if (held.moved) this.#after.ended(event.timeStamp);
    this.#letGo();
    if (target !== null) this.dropped(held.value, target.drop);
  }

  #letGo() {
    const held = this.#held;
    if (held === null) return;
    held.card.classList.remove('dragged');
    held.card.style.translate = '';
    this.#held = null;
    this.#mark(null);
  }

  /**
   * The drop target under the pointer.
   * @param {PointerEvent} event
   * @param {string} value
   * @returns {{ drop: Drop | "rest", element: Element, side: "into" | "above" | "below" } | null}
   */
  #target(event, value) {
    const tray = this.lists.querySelector('.tray');
    if (tray !== null && contains(tray, event)) return { drop: 'rest', element: tray, side: 'into' };
    const placed = this.lists.querySelector('.placed');
    if (placed === null || !contains(placed, event)) return null;
    const tiers = [...placed.querySelectorAll('.tier')];
    for (const [at, tier] of tiers.entries()) {
      const box = tier.getBoundingClientRect();
      const share = (event.clientY - box.top) / box.height;
      if (share > 1 && at < tiers.length - 1) continue;
      const other = otherThan(tier, value);
      const half = this.rule === 'ties' ? EDGE : 0.5;
      if (share < half)
        return { drop: { before: other ?? firstOf(tiers[at + 1], value) }, element: tier, side: 'above' };
      if (share <= 1 - half && other !== null) return { drop: { join: other }, element: tier, side: 'into' };
      if (share > 1 - half) return { drop: { before: firstOf(tiers[at + 1], value) }, element: tier, side: 'below' };
      return null;
    }
    return { drop: { before: null }, element: placed, side: 'into' };
  }

  /** @param {{ element: Element, side: string } | null} target */
  #mark(target) {
    for (const marked of this.lists.querySelectorAll('[data-drop]')) marked.removeAttribute('data-drop');
    target?.element.setAttribute('data-drop', target.side);
  }
}

/** @param {Element} element @param {PointerEvent} event */
function contains(element, event) {
  const box = element.getBoundingClientRect();
  const [x, y] = [event.clientX, event.clientY];
  return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
}

/** @param {Element} tier @param {string} value */
function otherThan(tier, value) {
  const values = [...tier.querySelectorAll('[data-value]')].map((card) => card.getAttribute('data-value'));
  return values.find((other) => other !== value) ?? null;
}

/** @param {Element | undefined} tier @param {string} value */
function firstOf(tier, value) {
  return tier === undefined ? null : otherThan(tier, value);
}
