// The figures of the operator's page, computed from the study's status without touching the page.

/**
 * @import { CheckFindings, Estimate, OpenProblem, Status, TimingQuality } from "../page.js"
 */

const whole = new Intl.NumberFormat('en');

/** @param {string | number} amount @param {string} currency */
function money(amount, currency) {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(Number(amount));
}

/** @param {number} part @param {number} all */
function share(part, all) {
  return all === 0 ? '–' : `${((100 * part) / all).toFixed(1)} %`;
}

/**
 * The figures at the top, each with its label.
 * @param {Status} status
 * @returns {[string, string][]}
 */
export function headline(status) {
  const collected = status.findings?.collected;
  /** @type {[string, string][]} */
  const figures = [
    ['Raters now', whole.format(status.held)],
    ['Completed', `${whole.format(status.done)} of ${whole.format(status.places)}`],
    ['Places left', whole.format(status.free)],
    ['Given up', whole.format(status.given_up)],
    ['Left early', whole.format(collected?.left ?? 0)],
    ['Disqualified', whole.format(collected?.disqualified ?? 0)],
    ['Answers', whole.format(collected?.responses ?? 0)],
  ];
  if (status.cost) {
    figures.push(['Earned so far', money(status.cost.so_far, status.cost.currency)]);
    figures.push(['Still to come', `about ${money(status.cost.to_come, status.cost.currency)}`]);
  }
  return figures;
}

/**
 * What does not work, since when, and why.
 * @param {OpenProblem} open
 */
export function trouble({ problem, reason, lasts_us }) {
  return `${problem} for ${whole.format(Math.round(lasts_us / 1e6))} s: ${reason}`;
}

/**
 * The requests that the server has refused, by code.
 * @param {Status} status
 * @returns {[string, string][]}
 */
export function refusals({ refused }) {
  return Object.entries(refused).map(([code, count]) => [code, whole.format(count)]);
}

/**
 * How exact exposures were.
 * @param {TimingQuality} timing
 * @returns {[string, string][]}
 */
export function timing({ displayed, exact, suspect, disturbed, refresh_hz }) {
  const voids = Object.values(disturbed).reduce((sum, count) => sum + count, 0);
  const reasons = Object.entries(disturbed).map(([reason, count]) => `${reason} ${whole.format(count)}`);
  const rates = Object.entries(refresh_hz).map(([hertz, raters]) => `${hertz} Hz × ${whole.format(raters)}`);
  return [
    ['Exact', share(exact, displayed)],
    ['Suspect', share(suspect, displayed)],
    ['Void', reasons.length ? `${whole.format(voids)} (${reasons.join(', ')})` : '0'],
    ['Screens', rates.join(', ') || '–'],
  ];
}

/**
 * The counts of each quality check.
 * @param {CheckFindings[]} all
 * @returns {[string, string][]}
 */
export function checks(all) {
  return all.map(({ name, passed, failed, unclear }) => [
    name,
    `${whole.format(passed)} pass, ${whole.format(failed)} fail, ${whole.format(unclear)} inconclusive`,
  ]);
}

/**
 * Exclusions, and flags of raters who are not excluded by the same rule.
 * @param {{ rater: string, rule: string, reason: string }[]} exclusions
 * @param {CheckFindings[]} all
 * @returns {string[]}
 */
export function flags(exclusions, all) {
  const excluded = new Set(exclusions.map(({ rater, rule }) => `${rater} ${rule}`));
  const flagged = all.flatMap(({ name, flagged }) =>
    flagged
      .filter(({ rater }) => !excluded.has(`${rater} ${name}`))
      .map(({ rater, state, why }) => `${rater}: ${name} ${state === 'fail' ? 'fails' : 'is inconclusive'}, ${why}`),
  );
  return [...exclusions.map(({ rater, rule, reason }) => `${rater}: ${rule}, ${reason}`), ...flagged];
}

/**
 * The ends of a scale that fits all estimates of a measure with their intervals.
 * @param {readonly Pick<Estimate, "value" | "interval">[]} estimates
 * @returns {{ low: number, high: number }}
 */
export function scale(estimates) {
  const ends = estimates.flatMap(({ value, interval }) => [value, interval?.low ?? value, interval?.high ?? value]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  // Values that differ only by rounding are one, and tiny ones are zero.
  const size = Math.max(Math.abs(low), Math.abs(high));
  const margin = high - low > 1e-9 * Math.max(1, size) ? (high - low) * 0.05 : size > 1e-9 ? size * 0.05 : 1;
  return { low: low - margin, high: high + margin };
}

/**
 * A number with enough digits to tell models apart.
 * @param {number} value
 * @param {{ low: number, high: number }} on
 */
export function digits(value, on) {
  const span = on.high - on.low;
  const places = Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(span || 1))));
  const text = value.toFixed(places);
  return Number(text) === 0 ? text.replace('-', '') : text;
}
