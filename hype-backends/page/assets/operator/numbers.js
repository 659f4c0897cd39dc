// The five numbers that say how the study goes.

import { UNKNOWN, count, expected, losses, money, share, things } from '../figures.js';
import { h } from '../dom.js';
import { ending, pace } from './pace.js';
import { put, stackedBar } from './parts.js';

/**
 * @import { Status } from "../../page.js"
 */

/**
 * A number, with what stands next to it.
 * @param {string} name
 * @param {string} label
 */
function block(name, label) {
  const [title, value, of, below] = [h('h2', {}, label), h('strong', {}), h('span', {}), h('p', { class: 'soft' })];
  const line = h('p', { class: 'told' }, value, ' ', of);
  return {
    element: h('section', { class: `figure ${name}`, 'aria-label': label }, title, line),
    title,
    line,
    value,
    of,
    below,
  };
}

/** A number and its unit, which stay together. @param {HTMLElement} value @param {HTMLElement} unit */
const pair = (value, unit) => h('span', { class: 'value' }, value, '\u00a0', unit);

/** The bars of completions; the last two are the last ten minutes. */
function sparkline() {
  const element = h('div', { class: 'sparkline', role: 'img', 'aria-label': 'Completions by five minutes' });
  return {
    element,
    /** @param {readonly number[]} bins */
    update(bins) {
      while (element.children.length > bins.length) element.lastElementChild?.remove();
      while (element.children.length < bins.length) element.append(h('span', {}));
      const most = Math.max(...bins, 1);
      [...element.children].forEach((bar, at) => {
        if (!(bar instanceof HTMLElement)) return;
        bar.style.height = `${(100 * (bins[at] ?? 0)) / most}%`;
        bar.classList.toggle('now', at >= bins.length - 2);
      });
    },
  };
}

/** @param {ReturnType<typeof block>} cost @param {Status["cost"]} told */
function costs({ value, of, below }, told) {
  if (told === null) {
    put(value, UNKNOWN);
    put(of, '');
    return put(below, 'raters are not paid by this study');
  }
  const { currency, so_far, to_come, each } = told;
  const all = so_far === null ? null : Number(so_far) + Number(to_come);
  put(value, money(so_far, currency));
  put(of, `of about ${expected(all, currency)}`);
  put(below, `${expected(to_come, currency)} to come · ${money(each, currency)} per rater`);
}

/** The part of the page. */
export function numbers() {
  const completed = block('completed', 'Completed');
  const now = block('now', 'Raters now');
  const speed = block('pace', 'Pace');
  const end = block('end', 'Expected end');
  const cost = block('cost', 'Cost');
  const places = stackedBar('Places', ['done', 'held']);
  const spent = stackedBar('Cost so far', ['done']);
  const [idle, resting] = [h('strong', {}), h('span', {})];
  now.line.replaceChildren(pair(now.value, now.of), ' ', pair(idle, resting));
  speed.line.replaceChildren(pair(speed.value, speed.of));
  const bins = sparkline();
  completed.element.append(places.element, completed.below);
  now.element.append(now.below);
  speed.element.append(bins.element);
  end.element.append(end.below);
  cost.element.append(spent.element, cost.below);
  const all = [completed, now, speed, end, cost].map(({ element }) => element);
  return {
    element: h('div', { class: 'numbers' }, all),
    /** @param {Status} status */
    update(status) {
      const { done, held, raters, waiting } = status;
      put(completed.value, count(done));
      put(completed.of, `of ${things(status.places, 'place')} (${share(done, status.places)})`);
      places.update([done, held], status.places);
      put(completed.below, losses(status).join(' · '));
      put(now.value, count(raters.active));
      put(now.of, 'active');
      put(idle, count(raters.idle));
      put(resting, 'idle');
      const waits = waiting !== null && !waiting.is_called ? `${count(waiting.waiting)} wait for your call` : '';
      put(now.below, waits || 'idle: no answer for over 60\u00a0s');
      const { label, number, unit } = pace(status);
      put(speed.title, label);
      put(speed.value, number);
      put(speed.of, unit);
      bins.update(status.pace.bins);
      const { from, to, about } = ending(status);
      put(end.value, from);
      put(end.of, to);
      put(end.below, about);
      costs(cost, status.cost);
      const { so_far = null, to_come = 0 } = status.cost ?? {};
      spent.update([Number(so_far)], Number(so_far) + Number(to_come));
      spent.element.hidden = status.cost === null;
    },
  };
}
