// Raters on a phone: cards of those who need attention and of those who are idle; of the others their numbers, which open a
// list of twenty at a time.

import { concerns, count } from '../figures.js';
import { h } from '../dom.js';
import { shortKey } from './alert-words.js';
import { arrange, put } from './parts.js';
import { GROUPS, asked, progress, silence } from './raters.js';

/**
 * @import { OperatorRole, RaterGroup, RaterRow, Status } from "../../page.js"
 * @import { Action } from "./raters.js"
 */

/** The most cards of raters who need attention or are idle. */
const CARDS = 6;
/** How many raters a list shows at a time. */
const STEP = 20;
const AGAIN_MS = 5_000;

/** A list of cards that are changed in place. @param {Action} action */
function cards(action) {
  const element = h('ul', { class: 'cards' });
  /** @type {Map<string, { element: HTMLElement, lead: HTMLElement, about: HTMLElement, act: HTMLElement, acts: string }>} */
  const known = new Map();

  /** @param {string} rater */
  function card(rater) {
    const [lead, about, act] = [h('strong', {}), h('span', { class: 'soft' }), h('span', { class: 'act' })];
    const made = { element: h('li', {}, h('p', {}, lead, about), act), lead, about, act, acts: '' };
    known.set(rater, made);
    return made;
  }

  return {
    element,
    /** @param {readonly RaterRow[]} rows @param {OperatorRole} role @param {number} below_ms */
    update(rows, role, below_ms) {
      for (const row of rows) {
        const own = known.get(row.rater) ?? card(row.rater);
        const told = concerns(row, below_ms);
        const idle = row.state === 'idle' ? `Idle for ${silence(row)}` : '';
        const lead = row.attention ? (told.shift() ?? '') : idle;
        put(own.lead, lead || shortKey(row.rater));
        own.lead.classList.toggle('fault', row.attention);
        const ago = row.state === 'idle' ? '' : silence(row);
        const about = [lead ? shortKey(row.rater) : '', row.models.join(', '), progress(row), ago, ...told];
        put(own.about, about.filter(Boolean).join(' · '));
        const acts = JSON.stringify([row.excluded, row.flags, row.state === 'erased', role]);
        if (acts === own.acts) continue;
        own.acts = acts;
        own.act.replaceChildren(...[action(row, role)].filter((button) => button !== null));
      }
      for (const [rater, { element }] of known) {
        if (rows.some((row) => row.rater === rater)) continue;
        element.remove();
        known.delete(rater);
      }
      arrange(
        element,
        rows.flatMap((row) => known.get(row.rater)?.element ?? []),
      );
    },
  };
}

/** A group whose number opens a list. @param {RaterGroup} group @param {string} text @param {Action} action */
function folded(group, text, action) {
  const [number, list] = [h('span', { class: 'soft value' }), cards(action)];
  const toggle = h('button', { type: 'button', class: 'row', 'aria-expanded': 'false' }, text, number);
  const more = h('button', { type: 'button', class: 'quiet', hidden: true }, 'Show 20 more');
  const element = h('li', {}, toggle, list.element, more);
  let limit = 0;
  /** @type {OperatorRole} */
  let role = 'reader';

  async function ask() {
    /** @type {RaterRow[]} */
    const rows = [];
    let [matching, below_ms] = [0, 0];
    // A reply has at most fifty raters.
    while (rows.length < limit) {
      const found = await asked({ group, find: '', skip: rows.length });
      [matching, below_ms] = [found.matching, found.below_ms];
      rows.push(...found.raters);
      if (found.raters.length === 0) break;
    }
    list.update(rows.slice(0, limit), role, below_ms);
    more.hidden = limit === 0 || matching <= limit;
  }

  /** @param {number} to */
  function show(to) {
    limit = to;
    toggle.setAttribute('aria-expanded', String(limit > 0));
    void ask().catch(() => null);
  }

  toggle.addEventListener('click', () => show(limit > 0 ? 0 : STEP));
  more.addEventListener('click', () => show(limit + STEP));
  return {
    element,
    /** @param {number} raters @param {OperatorRole} allowed */
    update(raters, allowed) {
      role = allowed;
      put(number, `${count(raters)} ›`);
      element.hidden = raters === 0;
    },
    async refresh() {
      if (limit > 0) await ask();
    },
  };
}

/**
 * The section of raters on a phone.
 * @param {Action} action
 */
export function raterCards(action) {
  const [heading, needed] = [h('h2', { tabindex: '-1' }, 'Raters'), cards(action)];
  const groups = GROUPS.map(([group, key, text]) => ({ key, row: folded(group, text, action) }));
  const element = h(
    'section',
    { class: 'people', 'aria-label': 'Raters' },
    heading,
    needed.element,
    h(
      'ul',
      { class: 'rows' },
      groups.map(({ row }) => row.element),
    ),
  );
  /** @type {Status | null} */
  let latest = null;
  let isShown = false;
  let timer = setTimeout(() => {}, 0);

  async function ask() {
    clearTimeout(timer);
    if (!isShown || latest === null) return;
    try {
      const query = { find: '', skip: 0 };
      const [active, idle] = await Promise.all([
        asked({ ...query, group: 'active' }),
        asked({ ...query, group: 'idle' }),
      ]);
      const first = [...active.raters.filter(({ attention }) => attention), ...idle.raters].slice(0, CARDS);
      needed.update(first, latest.role, active.below_ms);
      for (const { row } of groups) await row.refresh();
    } catch {
      // The page says that the server is not reached.
    }
    timer = setTimeout(() => void ask(), AGAIN_MS);
  }

  return {
    element,
    /** @param {Status} status */
    update(status) {
      const isFirst = latest === null || latest.control.actions !== status.control.actions;
      latest = status;
      for (const { key, row } of groups) row.update(status.raters[key], status.role);
      if (isFirst) void ask();
    },
    /** Goes to the cards. */
    look: () => heading.focus(),
    /** Asks only while the card is shown. @param {boolean} shown */
    show(shown) {
      if (shown === isShown) return;
      isShown = shown;
      void ask();
    },
  };
}
