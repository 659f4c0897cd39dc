// The three panels: estimates, precision, and coverage.

import { count, decimals, fixed, joined, known, measured, scale, things } from '../figures.js';
import { h } from '../dom.js';
import { drawn, ofEstimates, ofPrecision } from './charts.js';
import { mark, placeOf, put, rowsOf } from './parts.js';

/**
 * @import { ItemBin, MeasureEstimates, ModelCoverage, ModelEstimate, Status, StoppingFindings } from "../../page.js"
 * @import { Drawings } from "./charts.js"
 */

/** The most models in a panel. */
const MODELS = 6;
const COVERED = 4;

/**
 * Whether decisions may be taken from the estimates.
 * @param {StoppingFindings | null} stopping
 */
export function look(stopping) {
  if (stopping === null) return 'interim, no decision from it';
  if (stopping.stopped_at) return `the rule has ended the study at ${things(stopping.stopped_at, 'rater')}`;
  const taken = stopping.looks.filter((one) => one.taken);
  const boundary = (taken.at(-1) ?? stopping.looks[0])?.boundary;
  const at = boundary ? ` · boundary ${Number(boundary.toPrecision(3))}` : '';
  return `look ${taken.length} of ${stopping.looks.length}${at}`;
}

/** An estimate with its interval, as the report writes it. @param {ModelEstimate} estimate @param {number} digits @param {string} unit */
export function estimated(estimate, digits, unit) {
  const interval = known(estimate);
  const range = interval && [interval.low, interval.high].map((end) => fixed(end, digits, unit)).join(', ');
  return `${measured(estimate.value, digits, unit)}${range ? `\u00a0[${range.replace(' ', '\u00a0')}]` : ''}`;
}

/** A model's row: its estimate in numbers, and as a mark on its interval. */
function row() {
  const [shape, name, value, raters] = [h('span', {}), h('span', {}), h('span', {}), h('span', {})];
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById('interval'));
  const drawing = h('div', { class: 'drawing' }, template.content.cloneNode(true));
  const element = h(
    'li',
    {},
    h('span', { class: 'name' }, shape, ' ', name),
    h('span', { class: 'value' }, value),
    drawing,
    h('span', { class: 'soft value' }, raters),
  );
  const [range, at] = drawing.querySelectorAll('line');
  return { element, shape, drawing, name, value, raters, range, at };
}

/** @param {SVGLineElement | undefined} line @param {number} from @param {number} to */
function stretch(line, from, to) {
  line?.setAttribute('x1', String(from));
  line?.setAttribute('x2', String(to));
}

/** The first measure, in numbers. */
function rows() {
  const [list, more] = [h('ul', { class: 'estimates' }), h('p', { class: 'soft' })];
  const keep = rowsOf(list, row);
  return {
    element: h('div', {}, list, more),
    /** @param {MeasureEstimates | undefined} of @param {readonly ModelCoverage[]} models */
    update(of, models) {
      if (of === undefined) return;
      const shown = of.estimates.slice(0, MODELS);
      const { unit } = of.measure;
      const [on, digits] = [scale(of.estimates), decimals(of.estimates, unit)];
      const at = (/** @type {number} */ value) => (100 * (value - on.low)) / (on.high - on.low);
      keep(shown.length).forEach((to, number) => {
        const estimate = shown[number];
        if (estimate === undefined) return;
        const interval = known(estimate);
        const place = placeOf(estimate.model, models);
        mark(to.shape, place);
        to.drawing.className = `drawing model-${place}`;
        put(to.name, estimate.model);
        put(to.value, estimated(estimate, digits, unit));
        put(to.raters, joined('n', count(estimate.raters)));
        stretch(to.range, at(interval?.low ?? estimate.value), at(interval?.high ?? estimate.value));
        stretch(to.at, at(estimate.value), at(estimate.value));
      });
      const left = of.estimates.length + of.left_out - shown.length;
      put(more, left > 0 ? `${things(left, 'more model')} in the details.` : '');
    },
  };
}

/** @param {Drawings} drawings */
function estimates(drawings) {
  const [title, about, none] = [h('h2', {}, 'Estimates'), h('span', { class: 'soft' }), h('p', { class: 'soft' })];
  const numbers = rows();
  const box = drawn(numbers.element);
  const element = h('section', { class: 'panel measured' }, h('p', {}, title, ' ', about), box.element, none);
  drawings.tell((all) => box.update(ofEstimates(all)));
  return {
    element,
    /** @param {Status} status */
    update({ estimates, stopping, models }) {
      const [first] = estimates;
      put(title, first ? `${first.measure.label}, so far` : 'Estimates');
      const direction = first?.measure.direction;
      const better = direction === 'higher' || direction === 'lower' ? `${direction} is better · ` : '';
      put(about, first ? better + look(stopping) : '');
      put(none, first ? '' : 'There are too few answers for estimates.');
      numbers.update(first, models);
    },
  };
}

/** @param {Drawings} drawings */
function precision(drawings) {
  const [title, about] = [h('h2', {}, 'Precision'), h('span', { class: 'soft' }, 'width of the interval')];
  const box = drawn(h('p', { class: 'soft' }, 'Known once raters of a model differ.'));
  drawings.tell((all) => box.update(ofPrecision(all)));
  return h('section', { class: 'panel precision' }, h('p', {}, title, ' ', about), box.element);
}

/** A row of the coverage of models. */
function model() {
  const [shape, name, bar] = [h('span', {}), h('span', {}), h('span', {})];
  const [answers, raters] = [h('span', { class: 'value' }), h('span', { class: 'soft value' })];
  const element = h(
    'li',
    {},
    h('span', { class: 'name' }, shape, ' ', name),
    h('span', { class: 'track' }, bar),
    answers,
    raters,
  );
  return { element, shape, name, bar, answers, raters };
}

/** @param {ItemBin} bin */
const rangeOf = ({ from, to }) => (from === to ? count(from) : `${count(from)}–${count(to)}`);

/** @param {() => void} list shows the items with the fewest answers */
function coverage(list) {
  const [title, answered] = [h('h2', {}, 'Coverage'), h('span', { class: 'soft' })];
  const [items, middle] = [h('h3', {}), h('span', { class: 'soft' })];
  const [models, bars] = [h('ul', { class: 'models' }), h('ul', { class: 'histogram' })];
  const more = h('p', { class: 'soft' });
  const [keepModels, keepBars] = [rowsOf(models, model), rowsOf(bars, bar)];
  const element = h(
    'section',
    { class: 'panel coverage' },
    h('p', {}, title, ' ', answered),
    models,
    more,
    h('p', {}, items, ' ', middle),
    bars,
  );

  function bar() {
    const [number, range] = [h('span', { class: 'value' }), h('span', { class: 'value' })];
    const column = h('span', { class: 'column' });
    const button = h('button', { type: 'button', onclick: list, hidden: true }, column);
    const plain = h('span', { class: 'column' });
    return { element: h('li', {}, number, plain, button, range), number, range, column, plain, button };
  }

  /** @param {Status["items"]} told */
  function histogram({ bins, few }) {
    const most = Math.max(...bins.map((bin) => bin.items), 1);
    keepBars(bins.length).forEach(({ element, number, range, column, plain, button }, at) => {
      const bin = bins[at];
      if (bin === undefined) return;
      const isFew = few !== null && few.items > 0 && bin.from <= few.to;
      put(number, count(bin.items));
      put(range, rangeOf(bin));
      column.style.height = plain.style.height = `${(46 * bin.items) / most}px`;
      element.classList.toggle('few', isFew);
      [button.hidden, plain.hidden] = [!isFew, isFew];
      button.setAttribute('aria-label', `List the items with ${rangeOf(bin)} answers`);
    });
  }

  return {
    element,
    /** @param {Status} status */
    update({ models: all, items: told, counted }) {
      put(answered, things(counted?.answers ?? 0, 'answer'));
      // All models stand in the order of the spec; of many, those with the fewest answers are shown.
      const shown = all.slice(0, COVERED).sort((one, other) => one.place - other.place);
      const most = Math.max(...all.map(({ answers }) => answers), 1);
      keepModels(shown.length).forEach((row, at) => {
        const model = shown[at];
        if (model === undefined) return;
        mark(row.shape, model.place);
        put(row.name, model.name);
        row.bar.style.width = `${(100 * model.answers) / most}%`;
        put(row.answers, count(model.answers));
        put(row.raters, `${count(model.raters)} of ${things(model.places, 'rater')}`);
      });
      put(
        more,
        all.length > shown.length ? `${things(all.length - shown.length, 'other model')} with more answers.` : '',
      );
      put(items, told.items > 0 ? `${things(told.items, 'item')} by number of answers` : '');
      put(middle, told.items > 0 ? `median ${count(told.median)}` : '');
      histogram(told);
    },
  };
}

/**
 * The panels.
 * @param {Drawings} drawings
 * @param {() => void} listItems shows the items with the fewest answers
 */
export function panels(drawings, listItems) {
  const [measures, covered] = [estimates(drawings), coverage(listItems)];
  return {
    element: h('div', { class: 'panels' }, measures.element, precision(drawings), covered.element),
    /** @param {Status} status */
    update(status) {
      measures.update(status);
      covered.update(status);
    },
  };
}
