// Who is doing what: a page of raters at a time, by state and key.

import { count, lasting, verdict } from '../figures.js';
import { h } from '../dom.js';
import { post } from './key.js';
import { replace, table } from './parts.js';

/**
 * @import { RaterList, RaterRow, RaterState, OperatorRole } from "../../page.js"
 */

const PAGE = 100;
/** Raters are asked for again this long after the last reply, as idle times grow. */
const AGAIN_MS = 5_000;

/** @type {[RaterState | "", string][]} */
const STATES = [
  ['', 'Everybody'],
  ['rating', 'Rating now'],
  ['waiting', 'Waiting'],
  ['away', 'Away'],
  ['completed', 'Completed'],
  ['excluded', 'Excluded'],
  ['disqualified', 'Disqualified'],
  ['screened-out', 'Screened out'],
  ['left', 'Left'],
  ['erased', 'Erased'],
];

/** @param {RaterState} state */
const nameOf = (state) => STATES.find(([one]) => one === state)?.[1] ?? state;

/** @param {RaterRow} row */
function trial({ state, answered, at_most }) {
  if (state === 'waiting') return 'before the first trial';
  const open = state === 'rating' || state === 'away';
  return open
    ? `trial ${count(Math.min(answered + 1, at_most))} of at most ${count(at_most)}`
    : `${count(answered)} answered`;
}

/**
 * The section of raters.
 * @param {(row: RaterRow, role: OperatorRole) => HTMLElement | null} action the button of a row
 */
export function raters(action) {
  const state = h(
    'select',
    { 'aria-label': 'State' },
    STATES.map(([value, text]) => h('option', { value }, text)),
  );
  const find = h('input', { type: 'search', placeholder: 'Key begins with', 'aria-label': 'Find raters by key' });
  const list = h('div', {});
  const told = h('p', { class: 'soft', role: 'status' });
  const earlier = h('button', { type: 'button', class: 'quiet', onclick: () => turn(-PAGE) }, 'Previous');
  const later = h('button', { type: 'button', class: 'quiet', onclick: () => turn(PAGE) }, 'Next');
  const element = h(
    'section',
    { 'aria-labelledby': 'raters-heading' },
    h('h2', { id: 'raters-heading' }, 'Raters'),
    h('div', { class: 'filters' }, state, find),
    list,
    h('div', { class: 'pages' }, told, earlier, later),
  );
  let skip = 0;
  let asked = 0;
  let shown = '';
  /** @type {OperatorRole} */
  let role = 'reader';
  let timer = setTimeout(() => {}, 0);

  /** @param {number} by */
  function turn(by) {
    skip = Math.max(0, skip + by);
    void ask();
  }

  async function ask() {
    clearTimeout(timer);
    asked += 1;
    const number = asked;
    try {
      const query = { state: state.value || null, find: find.value.trim(), skip };
      const response = await post('operator/raters', query);
      const found = /** @type {RaterList} */ (await response.json());
      if (number === asked) draw(found);
    } catch {
      // The page says that the server cannot be reached.
    }
    if (number === asked) timer = setTimeout(() => void ask(), AGAIN_MS);
  }

  /** @param {RaterList} found */
  function draw({ matching, raters }) {
    earlier.hidden = skip === 0;
    later.hidden = skip + raters.length >= matching;
    const range = matching > PAGE ? `${count(skip + 1)} to ${count(skip + raters.length)} of ` : '';
    const text = matching === 0 ? 'No raters.' : `${range}${count(matching)} ${matching === 1 ? 'rater' : 'raters'}`;
    if (told.textContent !== text) told.textContent = text;
    const now = JSON.stringify([raters, role]);
    if (now === shown) return;
    shown = now;
    const heads = [
      { text: 'Rater' },
      { text: 'State' },
      { text: 'Progress' },
      { text: 'Model' },
      { text: 'Idle', kind: 'number' },
      { text: 'Per trial', kind: 'number' },
      { text: 'Checks' },
      { text: '', kind: 'act' },
    ];
    const rows = raters.map((row) => [
      h('code', { title: row.rater }, row.rater.slice(0, 10)),
      h('span', { class: `state ${row.state}` }, nameOf(row.state)),
      trial(row),
      row.models.join(', ') || '–',
      row.idle_us === null ? 'unknown' : lasting(row.idle_us / 1e6),
      row.pace_us === null ? '–' : `${(row.pace_us / 1e6).toFixed(1)} s`,
      verdict(row),
      action(row, role),
    ]);
    replace(list, raters.length ? [table('Raters', heads, rows)] : []);
  }

  state.addEventListener('change', () => turn(-skip));
  find.addEventListener('input', () => turn(-skip));
  return {
    element,
    /** Asks again: something has changed. @param {OperatorRole} allowed */
    update(allowed) {
      role = allowed;
      void ask();
    },
  };
}
