// Raters by what they do: a tab for each group, and a list that is drawn in part.

import { UNKNOWN, concerns, count, lasting } from '../figures.js';
import { h } from '../dom.js';
import { shortKey } from './alert-words.js';
import { post } from './key.js';
import { arrange, mark, placeOf, put, stackedBar } from './parts.js';
import { firstRow, seenRows } from './windowed.js';

/**
 * @import { OperatorRole, RaterGroup, RaterGroups, RaterList, RaterRow, RaterState, Status } from "../../page.js"
 * @typedef {(row: RaterRow, role: OperatorRole) => HTMLElement | null} Action the button of a rater
 */

/** @type {[RaterGroup, keyof RaterGroups, string][]} */
export const GROUPS = [
  ['active', 'active', 'Active'],
  ['idle', 'idle', 'Idle'],
  ['completed', 'completed', 'Completed'],
  ['not-qualified', 'not_qualified', 'Did not qualify'],
  ['left', 'left', 'Left'],
  ['excluded', 'excluded', 'Excluded'],
];

/** @type {Record<RaterState, string>} */
const STATES = {
  rating: 'Rating',
  waiting: 'Waiting',
  resting: 'Resting',
  idle: 'Idle',
  away: 'Away',
  completed: 'Completed',
  excluded: 'Excluded',
  disqualified: 'Did not qualify',
  'screened-out': 'Screened out',
  left: 'Left',
  erased: 'Erased',
};

/** The height of a row, which the style sheet sets as well. */
const ROW = 30;
/** Raters are asked for again this long after the last reply, as times without an answer grow. */
const AGAIN_MS = 5_000;

/** @param {{ group: RaterGroup | null, find: string, skip: number }} query @returns {Promise<RaterList>} */
export async function asked(query) {
  const response = await post('operator/raters', query);
  return response.json();
}

/** How far a rater is. @param {RaterRow} row */
export const progress = ({ answered, at_most }) => `${count(answered)} of ${count(at_most)}`;

/** The time since something was heard of a rater. @param {RaterRow} row */
export const silence = ({ idle_us }) => (idle_us === null ? UNKNOWN : lasting(idle_us / 1e6));

/** The median response time. @param {RaterRow} row */
const perAnswer = ({ median_us }) => (median_us === null ? UNKNOWN : `${(median_us / 1e6).toFixed(1)}\u00a0s`);

const HEADS = ['Rater', 'State', 'Progress', 'Model', 'Last answer', 'Per answer', 'Checks', ''];

/** @param {Action} action */
function line(action) {
  const key = h('code', {});
  const [dot, state] = [h('span', { class: 'dot', 'aria-hidden': 'true' }), h('span', {})];
  const [bar, number] = [stackedBar('Progress', ['done']), h('span', { class: 'value' })];
  const [shape, model] = [h('span', {}), h('span', {})];
  const [last, each] = [h('td', { class: 'number' }), h('td', { class: 'number' })];
  const [checks, act] = [h('td', { class: 'checks' }), h('td', { class: 'act' })];
  const element = h(
    'tr',
    {},
    h('th', { scope: 'row' }, key),
    h('td', {}, dot, ' ', state),
    h('td', { class: 'progress' }, bar.element, number),
    h('td', {}, shape, ' ', model),
    last,
    each,
    checks,
    act,
  );
  let acts = '';
  return {
    element,
    /** @param {RaterRow} row @param {OperatorRole} role @param {Status} status @param {number} below_ms */
    update(row, role, { models }, below_ms) {
      put(key, shortKey(row.rater));
      key.title = row.rater;
      dot.className = `dot ${row.state}`;
      put(state, STATES[row.state]);
      bar.update([row.answered], row.at_most);
      put(number, progress(row));
      mark(shape, placeOf(row.models[0] ?? '', models));
      shape.hidden = row.models.length !== 1;
      put(model, row.models.join(', ') || UNKNOWN);
      put(last, silence(row));
      put(each, perAnswer(row));
      const told = concerns(row, below_ms).join('; ');
      put(checks, told);
      checks.title = told;
      checks.classList.toggle('fault', row.attention);
      // The button decides about the row as it was drawn.
      const now = JSON.stringify([row.excluded, row.flags, row.state === 'erased', role]);
      if (now === acts) return;
      const hadFocus = act.contains(document.activeElement);
      act.replaceChildren(...[action(row, role)].filter((button) => button !== null));
      if (hadFocus) act.querySelector('button')?.focus();
      acts = now;
    },
  };
}

/** The tabs of the groups. @param {(group: RaterGroup) => void} choose */
function groupTabs(choose) {
  const all = GROUPS.map(([group, key, text]) => {
    const number = h('span', { class: 'value' });
    const tab = h(
      'button',
      { type: 'button', role: 'tab', 'aria-controls': 'raters', onclick: () => choose(group) },
      text,
      '\u00a0',
      number,
    );
    return { group, key, tab, number };
  });
  const element = h(
    'div',
    { class: 'groups', role: 'tablist', 'aria-label': 'Groups of raters' },
    all.map(({ tab }) => tab),
  );
  element.addEventListener('keydown', (event) => {
    const at = all.findIndex(({ tab }) => tab === document.activeElement);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[event.key];
    const next = to === undefined ? undefined : all[(to + all.length) % all.length];
    if (next === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    choose(next.group);
    next.tab.focus();
  });
  return {
    element,
    /** @param {RaterGroups} groups */
    update(groups) {
      for (const { key, number } of all) put(number, count(groups[key]));
    },
    /** @param {RaterGroup} chosen */
    choose(chosen) {
      for (const { group, tab } of all) {
        tab.setAttribute('aria-selected', String(group === chosen));
        tab.tabIndex = group === chosen ? 0 : -1;
      }
    },
  };
}

/**
 * The section of raters.
 * @param {Action} action
 */
export function raters(action) {
  /** @type {RaterGroup} */
  let group = 'active';
  /** @type {Status | null} */
  let latest = null;
  let list = /** @type {RaterList} */ ({ matching: 0, below_ms: 0, raters: [] });
  let [skip, number, isShown] = [0, 0, true];
  let timer = setTimeout(() => {}, 0);
  /** @type {Map<string, ReturnType<typeof line>>} */
  const lines = new Map();
  const tabs = groupTabs(choose);
  const find = h('input', { type: 'search', placeholder: 'Find a rater…', 'aria-label': 'Find raters by key' });
  const [above, below] = [h('tr', { 'aria-hidden': 'true' }), h('tr', { 'aria-hidden': 'true' })];
  const body = h('tbody', {});
  const numbers = [4, 5];
  const heads = HEADS.map((text, at) =>
    text ? h('th', { scope: 'col', class: numbers.includes(at) ? 'number' : null }, text) : h('td', {}),
  );
  const told = h('p', { class: 'soft told', role: 'status' });
  const table = h('table', { 'aria-label': 'Raters' }, h('thead', {}, h('tr', {}, heads)), body);
  const view = h(
    'div',
    { class: 'scrolled', role: 'tabpanel', id: 'raters', 'aria-label': 'Raters', tabindex: '0' },
    table,
  );
  const element = h(
    'section',
    { class: 'raters', 'aria-label': 'Raters' },
    h('div', { class: 'heads' }, tabs.element, find),
    view,
    told,
  );
  tabs.choose(group);

  /** @param {RaterGroup} chosen */
  function choose(chosen) {
    group = chosen;
    tabs.choose(chosen);
    find.value = '';
    anew();
  }

  function anew() {
    [skip, view.scrollTop] = [0, 0];
    void ask();
  }

  async function ask() {
    clearTimeout(timer);
    if (!isShown) return;
    number += 1;
    const own = number;
    const begins = find.value.trim();
    try {
      const found = await asked({ group: begins ? null : group, find: begins, skip });
      if (own !== number) return;
      list = found;
      draw();
    } catch {
      // The page says that the server is not reached.
    }
    if (own === number) timer = setTimeout(() => void ask(), AGAIN_MS);
  }

  /** Asks for other rows when the list is scrolled to them. */
  function scrolled() {
    const head = table.tHead?.offsetHeight ?? 0;
    const seen = seenRows({ top: view.scrollTop, height: view.clientHeight - head }, ROW);
    const first = firstRow({ skip, rows: list.raters.length }, seen, list.matching);
    if (first === skip) return;
    skip = first;
    void ask();
  }

  function draw() {
    if (latest === null) return;
    const { role } = latest;
    const hadFocus = body.contains(document.activeElement);
    const rows = list.raters.map((row) => {
      const known = lines.get(row.rater) ?? line(action);
      lines.set(row.rater, known);
      known.update(row, role, /** @type {Status} */ (latest), list.below_ms);
      return known.element;
    });
    for (const [rater, { element }] of lines) {
      if (list.raters.some((row) => row.rater === rater)) continue;
      element.remove();
      lines.delete(rater);
    }
    above.style.height = `${skip * ROW}px`;
    below.style.height = `${Math.max(0, list.matching - skip - rows.length) * ROW}px`;
    arrange(body, [above, ...rows, below]);
    if (hadFocus && !body.contains(document.activeElement)) view.focus();
    const order = list.matching > 1 ? 'Those that need attention come first, then by progress.' : '';
    const found = find.value.trim() ? `${count(list.matching)} found.` : list.matching === 0 ? 'No raters.' : order;
    put(told, found);
    scrolled();
  }

  find.addEventListener('input', anew);
  view.addEventListener('scroll', scrolled, { passive: true });
  return {
    element,
    /** @param {Status} status */
    update(status) {
      const isNew = latest === null || JSON.stringify(basis(latest)) !== JSON.stringify(basis(status));
      latest = status;
      tabs.update(status.raters);
      if (isNew) void ask();
    },
    /** Shows one rater, or a group. @param {string | RaterGroup} wanted */
    look(wanted) {
      const known = GROUPS.find(([one]) => one === wanted)?.[0];
      if (known !== undefined) choose(known);
      else {
        find.value = wanted;
        anew();
      }
      view.focus();
    },
    /** Stops asking while the list is hidden. @param {boolean} shown */
    show(shown) {
      if (shown === isShown) return;
      isShown = shown;
      void ask();
    },
  };
}

/** What the list depends on. @param {Status} status */
const basis = ({ raters, role, control }) => [raters, role, control.actions];
