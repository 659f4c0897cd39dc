// What is told in a sentence each: quality, the last actions, and refused requests.

import { UNKNOWN, clock, count, failing, refusals, share, things, timing } from '../figures.js';
import { h } from '../dom.js';
import { described } from './log.js';
import { put, rowsOf } from './parts.js';

/**
 * @import { Status } from "../../page.js"
 */

/** How many actions are shown. */
const ACTIONS = 3;

/**
 * @param {() => void} open shows the details
 */
export function side(open) {
  const [planned, rest, failed] = [h('p', {}), h('p', { class: 'soft' }), h('p', {})];
  const [list, refused] = [h('ol', { class: 'log' }), h('p', {})];
  const earlier = h('button', { type: 'button', class: 'link', onclick: open });
  const keep = rowsOf(list, () => {
    const [time, text] = [h('time', { class: 'value' }), h('span', {})];
    return { element: h('li', {}, time, text), time, text };
  });
  const element = h(
    'section',
    { class: 'side', 'aria-label': 'Quality and log' },
    h('h2', {}, 'Quality of displays'),
    planned,
    rest,
    failed,
    h('h2', {}, 'Log'),
    list,
    earlier,
    h('h2', {}, 'Refused requests'),
    refused,
  );
  return {
    element,
    /** @param {Status} status */
    update({ timing: exposures, checks, control, refused: requests, opened_unix_ms, unix_ms }) {
      const told = exposures && timing(exposures);
      put(planned, told?.planned ?? 'No brief displays so far.');
      put(rest, told?.rest ?? '');
      put(failed, checks.length > 0 ? failing(checks) : '');
      const entries = control.recent.map((entry) => ({ at: entry.unix_ms, text: described(entry.action) }));
      if (control.actions === entries.length) entries.push({ at: opened_unix_ms, text: 'opened' });
      const shown = entries.slice(0, ACTIONS);
      keep(shown.length).forEach(({ time, text }, number) => {
        const { at, text: words } = shown[number] ?? { at: 0, text: '' };
        put(time, clock(at, unix_ms));
        time.dateTime = new Date(at).toISOString();
        put(text, words.charAt(0).toUpperCase() + words.slice(1));
      });
      const left = control.actions + 1 - shown.length;
      put(earlier, left > 0 ? `${things(left, 'earlier entry', 'earlier entries')}` : '');
      earlier.hidden = left <= 0;
      put(refused, refusals(requests));
    },
  };
}

/** The same on a phone: a row each, which opens the details. @param {() => void} open */
export function sideRows(open) {
  const row = (/** @type {string} */ text) => {
    const number = h('span', { class: 'soft value' });
    const button = h('button', { type: 'button', class: 'row', onclick: open }, text, number);
    return { element: h('li', {}, button), number };
  };
  const [coverage, displays, others] = [row('Coverage'), row('Displays'), row('Log, refused requests')];
  return {
    element: h('ul', { class: 'rows side-rows' }, coverage.element, displays.element, others.element),
    /** @param {Status} status */
    update({ items, timing: exposures, control }) {
      put(coverage.number, items.items > 0 ? `median ${things(items.median, 'answer')} ›` : '›');
      const planned = exposures === null ? UNKNOWN : share(exposures.exact, exposures.displayed, 1);
      put(displays.number, `${planned} as planned ›`);
      put(others.number, `${count(control.actions)} ›`);
    },
  };
}
