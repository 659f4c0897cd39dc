// The stopping rule: its looks, its boundary, and what the last look has found.

import { h } from '../dom.js';
import { section, table } from './parts.js';

/**
 * @import { Status, StoppingFindings, StoppingLook } from "../../page.js"
 */

/** @param {number | null | undefined} number */
const shown = (number) => (number === null || number === undefined ? '–' : String(Number(number.toPrecision(4))));

/** @param {StoppingFindings} found @param {StoppingLook} look */
function state({ stopped_at }, { stops, taken }) {
  if (stops) return 'ends the collection';
  if (taken) return 'continues';
  return stopped_at ? 'not needed' : 'to come';
}

/** @param {StoppingFindings} found */
function looks(found) {
  const heads = [
    { text: found.per_model ? 'Raters of each model' : 'Raters' },
    { text: `Boundary (${found.statistic})`, kind: 'number' },
    { text: 'Error spent', kind: 'number' },
    { text: 'Decision' },
  ];
  const rows = found.looks.map((look) => [
    String(look.raters),
    shown(look.boundary),
    look.spent === null || look.spent === undefined ? '–' : `${shown(100 * look.spent)}%`,
    state(found, look),
  ]);
  return table('Looks', heads, rows);
}

/** @param {string} statistic @param {StoppingLook} look */
function tests(statistic, { raters, tests = [] }) {
  const heads = [
    { text: 'Of' },
    { text: 'Estimate', kind: 'number' },
    { text: 'Interval', kind: 'number' },
    { text: statistic, kind: 'number' },
    { text: 'Boundary', kind: 'number' },
    { text: 'Decided' },
  ];
  const rows = tests.map(({ models, estimate, interval, statistic, boundary, decided, undefined: why }) => [
    models.length ? models.join(' – ') : 'all models',
    shown(estimate),
    interval ? `${shown(interval.low)} to ${shown(interval.high)}` : h('span', { class: 'soft' }, why ?? 'not known'),
    shown(statistic),
    shown(boundary),
    decided ? 'yes' : 'no',
  ]);
  return [h('h3', {}, `The look at ${raters}`), table(`The look at ${raters}`, heads, rows)];
}

/** The section. */
export function stopping() {
  return section(
    'Stopping rule',
    (
      /** @type {Pick<Status, "stopping" | "estimates" | "free" | "held">} */ {
        stopping: found,
        estimates,
        free,
        held,
      },
    ) => {
      if (found) {
        const last = found.looks.filter(({ taken }) => taken).at(-1);
        return [
          h('p', {}, `${found.measure}: ${found.method}.`),
          looks(found),
          last ? tests(found.statistic, last) : h('p', { class: 'soft' }, 'No look was taken yet.'),
          found.beyond > 0
            ? h('p', { class: 'soft' }, `${found.beyond} raters finished at places beyond the last look.`)
            : null,
        ];
      }
      if (estimates.length === 0 || free + held === 0) return null;
      return [
        h(
          'p',
          { class: 'soft' },
          'The study has none. Deciding from the estimates when to stop finds differences that do not exist: with twelve ' +
            'looks, in 21% of studies instead of 5%.',
        ),
      ];
    },
  );
}
