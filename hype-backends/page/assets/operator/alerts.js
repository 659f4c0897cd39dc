// What needs the operator, the worst first: two alerts, and the others on request.

import { count, things } from '../figures.js';
import { h } from '../dom.js';
import { SHOWN, alertsOf, told } from './alert-words.js';
import { arrange, put } from './parts.js';

/**
 * @import { Alert, Status } from "../../page.js"
 * @import { Told } from "./alert-words.js"
 */

/** What the page says when the server is not reached. @type {Told} */
const LOST = {
  key: 'lost',
  lead: 'The server is not reached',
  text: 'and what is shown is from before',
  verb: 'Reload',
};

/**
 * The alerts, as the first part of the page.
 * @param {(alert: Alert) => void} act does the one thing about an alert
 */
export function alerts(act) {
  const number = h('strong', { class: 'number' });
  const list = h('ul', { 'aria-live': 'polite', 'aria-atomic': 'false' });
  const others = h('button', {
    type: 'button',
    class: 'quiet',
    'aria-expanded': 'false',
    onclick: () => open(!isOpen),
  });
  const resolved = h('span', { class: 'soft resolved' });
  const element = h(
    'section',
    { class: 'alerts', 'aria-label': 'Alerts', hidden: true },
    number,
    list,
    others,
    resolved,
  );
  /** @type {Map<string, { element: HTMLLIElement, lead: HTMLElement, text: HTMLElement, alert: Alert | null }>} */
  const shown = new Map();
  /** @type {Status | null} */
  let latest = null;
  let [isOpen, isLost] = [false, false];

  /** @param {boolean} all */
  function open(all) {
    isOpen = all;
    draw();
  }

  /** @param {Told} told @param {Alert | null} alert */
  function line({ key, verb }, alert) {
    const [lead, text] = [h('strong', {}), h('span', {})];
    const known = {
      element: h(
        'li',
        {},
        h('span', {}, lead, ' ', text),
        h('button', { type: 'button', class: 'quiet', 'data-name': `alert ${key}` }, verb),
      ),
      lead,
      text,
      alert,
    };
    known.element.querySelector('button')?.addEventListener('click', () => {
      if (known.alert === null) location.reload();
      else act(known.alert);
    });
    return known;
  }

  function draw() {
    if (latest === null && !isLost) return;
    /** @type {[Told, Alert | null][]} */
    const all = (latest?.alerts ?? []).map((alert) => [told(alert, latest?.unix_ms ?? 0), alert]);
    if (isLost) all.unshift([LOST, null]);
    const sum = (latest === null ? 0 : alertsOf(latest)) + Number(isLost);
    element.hidden = sum === 0;
    put(number, things(sum, 'alert'));
    const visible = isOpen ? all : all.slice(0, SHOWN);
    for (const [told, alert] of visible) {
      const known = shown.get(told.key) ?? line(told, alert);
      shown.set(told.key, known);
      known.alert = alert;
      put(known.lead, told.lead);
      put(known.text, told.text);
    }
    for (const [key, { element }] of shown) {
      if (visible.some(([told]) => told.key === key)) continue;
      element.remove();
      shown.delete(key);
    }
    arrange(
      list,
      visible.flatMap(([{ key }]) => shown.get(key)?.element ?? []),
    );
    const left = sum - visible.length;
    others.hidden = sum <= SHOWN;
    put(others, isOpen ? (left > 0 ? `Fewer (${count(left)} not listed)` : 'Fewer') : `${count(left)} more`);
    others.setAttribute('aria-expanded', String(isOpen));
    element.classList.toggle('open', isOpen && sum > SHOWN);
    const over = latest?.alerts_resolved ?? 0;
    put(resolved, over > 0 ? `${count(over)} resolved` : '');
  }

  return {
    element,
    /** @param {Status} status */
    update(status) {
      latest = status;
      draw();
    },
    /** @param {boolean} lost whether the server is not reached */
    lost(lost) {
      if (lost === isLost) return;
      isLost = lost;
      draw();
    },
  };
}
