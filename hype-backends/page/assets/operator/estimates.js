// Estimates with their intervals, by measure and model.

import { UNKNOWN, decimals, fixed, intervalHeading, known, measured, scale } from '../figures.js';
import { h } from '../dom.js';
import { section, table } from './parts.js';

/**
 * @import { MeasureEstimates, ModelEstimate, Status } from "../../page.js"
 */

/** The choice of all measures: measures have names. */
const ALL = '';

/**
 * An estimate on its scale, as a mark on an interval.
 * @param {ModelEstimate} estimate
 * @param {{ low: number, high: number }} on
 */
function drawn(estimate, on) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById('interval'));
  const drawing = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
  const [range, mark] = drawing.querySelectorAll('line');
  const at = (/** @type {number} */ number) => String((100 * (number - on.low)) / (on.high - on.low));
  const { value } = estimate;
  const interval = known(estimate);
  stretch(range, at(interval?.low ?? value), at(interval?.high ?? value));
  stretch(mark, at(value), at(value));
  return drawing;
}

/** @param {SVGLineElement | undefined} line @param {string} from @param {string} to */
function stretch(line, from, to) {
  line?.setAttribute('x1', from);
  line?.setAttribute('x2', to);
}

/** @param {MeasureEstimates} measured @param {string} find */
function measure({ measure, estimates, left_out }, find) {
  const { unit } = measure;
  const [on, digits] = [scale(estimates), decimals(estimates, unit)];
  const wanted = estimates.filter(({ model }) => model.toLowerCase().includes(find));
  const rows = wanted.map((estimate) => {
    const { model, value, raters, with_excluded } = estimate;
    const interval = known(estimate);
    const range = interval
      ? `[${[interval.low, interval.high].map((end) => fixed(end, digits, unit)).join(', ')}]`
      : UNKNOWN;
    const all = with_excluded
      ? `${measured(with_excluded.value, digits, unit)} with all ${with_excluded.raters}`
      : null;
    return [
      model,
      measured(value, digits, unit),
      range,
      drawn(estimate, on),
      h('span', {}, String(raters), all ? h('small', {}, all) : null),
    ];
  });
  const heads = [
    { text: 'Model' },
    { text: 'Estimate', kind: 'number' },
    { text: intervalHeading(estimates), kind: 'number' },
    { text: '', kind: 'interval' },
    { text: 'Raters', kind: 'number' },
  ];
  return h(
    'div',
    { class: 'measure' },
    h('h3', {}, measure.label),
    rows.length ? table(measure.label, heads, rows) : h('p', { class: 'soft' }, 'No model of this name.'),
    left_out > 0 ? h('p', { class: 'soft' }, `${left_out} more models are in the findings.`) : null,
  );
}

/** The section, with its filters. */
export function estimates() {
  const chosen = h('select', { 'aria-label': 'Measure' });
  const find = h('input', { type: 'search', placeholder: 'Model', 'aria-label': 'Find models' });
  /** @type {Pick<Status, "estimates" | "measures_left_out">} */
  let latest = { estimates: [], measures_left_out: 0 };
  const shown = section(
    'Estimates',
    (/** @type {{ status: typeof latest, measure: string, find: string }} */ { status, measure: name, find }) => {
      const wanted = status.estimates.filter(({ measure }) => name === ALL || measure.name === name);
      if (status.estimates.length === 0) return null;
      return [
        wanted.map((one) => measure(one, find)),
        status.measures_left_out > 0
          ? h('p', { class: 'soft' }, `${status.measures_left_out} more measures are in the findings.`)
          : null,
      ];
    },
    [h('div', { class: 'filters' }, chosen, find)],
  );
  const draw = () => shown.update({ status: latest, measure: chosen.value, find: find.value.trim().toLowerCase() });
  chosen.addEventListener('change', draw);
  find.addEventListener('input', draw);
  return {
    element: shown.element,
    /** @param {Status} status */
    update({ estimates, measures_left_out }) {
      latest = { estimates, measures_left_out };
      // The study's score comes first.
      const names = [...estimates.map(({ measure }) => measure.name), ALL];
      if (names.join() !== [...chosen.options].map(({ value }) => value).join()) {
        const before = chosen.value;
        const options = estimates.map(({ measure }) => h('option', { value: measure.name }, measure.label));
        const isFirst = chosen.options.length < 2;
        chosen.replaceChildren(...options, h('option', { value: ALL }, 'All measures'));
        chosen.value = !isFirst && names.includes(before) ? before : (names[0] ?? ALL);
      }
      chosen.hidden = estimates.length < 2;
      find.hidden = !estimates.some(({ estimates }) => estimates.length > 5);
      draw();
    },
  };
}
