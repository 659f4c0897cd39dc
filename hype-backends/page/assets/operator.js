// The operator's page. The token is in the fragment of the address, which browsers do not send; the page removes it from the
// address bar at once and stores it for this tab.

import { checks, digits, flags, headline, refusals, scale, timing, trouble } from './figures.js';
import { h } from './dom.js';

/**
 * @import { Estimate, MeasureFindings, OpenProblem, Status } from "../page.js"
 */

const EVERY_MS = 2_000;
const KEPT = 'hype-operator';

function token() {
  const given = location.hash.slice(1);
  if (given) {
    sessionStorage.setItem(KEPT, given);
    history.replaceState(null, '', location.pathname);
  }
  return sessionStorage.getItem(KEPT) ?? '';
}

/** @param {[string, string][]} figures */
function list(figures) {
  return h(
    'dl',
    { class: 'figures' },
    figures.map(([what, figure]) => h('div', {}, h('dt', {}, what), h('dd', {}, figure))),
  );
}

/**
 * An estimate on its scale, as a mark on an interval.
 * @param {Estimate} estimate
 * @param {{ low: number, high: number }} on
 */
function drawn({ value, interval }, on) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById('interval'));
  const drawing = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
  const [range, mark] = drawing.querySelectorAll('line');
  const at = (/** @type {number} */ number) => String((100 * (number - on.low)) / (on.high - on.low));
  stretch(range, at(interval?.low ?? value), at(interval?.high ?? value));
  stretch(mark, at(value), at(value));
  return drawing;
}

/** @param {SVGLineElement | undefined} line @param {string} from @param {string} to */
function stretch(line, from, to) {
  line?.setAttribute('x1', from);
  line?.setAttribute('x2', to);
}

/** @param {MeasureFindings} measured */
function measure({ measure, estimates }) {
  const on = scale(estimates);
  const unit = measure.unit && !measure.label.endsWith(measure.unit) ? ` (${measure.unit})` : '';
  const rows = estimates.map((estimate) => {
    const { model, value, interval, raters } = estimate;
    const range = interval ? `${digits(interval.low, on)} to ${digits(interval.high, on)}` : '–';
    return h(
      'tr',
      {},
      h('th', { scope: 'row' }, model),
      h('td', { class: 'number' }, digits(value, on)),
      h('td', { class: 'number' }, range),
      h('td', { class: 'interval' }, drawn(estimate, on)),
      h('td', { class: 'number' }, String(raters)),
    );
  });
  const heads = [
    ['Model', ''],
    ['Estimate', 'number'],
    ['95 % interval', 'number'],
    ['', 'interval'],
    ['Raters', 'number'],
  ];
  return h(
    'section',
    {},
    h('h2', {}, measure.label + unit),
    h(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': measure.label },
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            heads.map(([text, kind]) =>
              text ? h('th', { scope: 'col', class: kind || null }, text) : h('td', { class: kind }),
            ),
          ),
        ),
        h('tbody', {}, rows),
      ),
    ),
  );
}

/** What does not work at the moment. @param {OpenProblem[]} open */
function problems(open) {
  if (open.length === 0) return null;
  return h(
    'ul',
    { class: 'fault', role: 'alert' },
    open.map((problem) => h('li', {}, trouble(problem))),
  );
}

/** @param {Status} status */
function view(status) {
  const findings = status.findings ?? { measures: [], exclusions: [], checks: [] };
  const results = findings.checks ?? [];
  const flagged = flags(findings.exclusions, results);
  return [
    h('h1', {}, status.name),
    h(
      'p',
      { class: 'age' },
      status.findings ? `Estimates as of ${Math.round(status.findings_age_us / 1e6)} s ago` : 'No estimates yet',
    ),
    problems(status.problems),
    list(headline(status)),
    h('progress', { max: String(status.places), value: String(status.done), 'aria-label': 'Completed' }),
    status.findings?.timing ? [h('h2', {}, 'Display timing'), list(timing(status.findings.timing))] : null,
    findings.measures.filter(({ estimates }) => estimates.length > 0).map(measure),
    results.length ? [h('h2', {}, 'Quality checks'), list(checks(results))] : null,
    h('h2', {}, 'Flags'),
    flagged.length
      ? h(
          'ul',
          {},
          flagged.map((flag) => h('li', {}, flag)),
        )
      : h('p', {}, 'No rater is flagged.'),
    Object.keys(status.refused).length ? [h('h2', {}, 'Refused requests'), list(refusals(status))] : null,
  ];
}

/** @param {import("./dom.js").Child[]} children */
function show(children) {
  const main = document.getElementById('main');
  main?.replaceChildren(...[h('div', {}, children)]);
}

async function refresh() {
  const response = await fetch('operator/status', {
    headers: { authorization: `Bearer ${token()}` },
    cache: 'no-store',
  });
  if (response.status === 401) {
    show([
      h('h1', {}, "The operator's page"),
      h('p', { class: 'fault' }, 'The token is missing or wrong. Open the address that the program has printed.'),
    ]);
    return false;
  }
  if (response.ok) show(view(await response.json()));
  return true;
}

async function run() {
  for (;;) {
    let more = true;
    try {
      more = await refresh();
    } catch {
      // The server cannot be reached: the figures stay until the next attempt.
    }
    if (!more) return;
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}

void run();
