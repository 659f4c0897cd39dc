// The figures of the operator's page, computed from the study's state without touching the page.

/**
 * @import { CheckCounts, ModelEstimate, OpenProblem, RaterRow, Status, TimingQuality } from "../page.js"
 */

const whole = new Intl.NumberFormat('en');
const UNKNOWN = 'unknown';

/** A number of things, or that it is not known. @param {number | null | undefined} number */
export const count = (number) => (number === null || number === undefined ? UNKNOWN : whole.format(number));

/** An amount, or that it is not known. @param {string | number | null} amount @param {string} currency */
export function money(amount, currency) {
  if (amount === null) return UNKNOWN;
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(Number(amount));
}

/** @param {number} part @param {number} all */
function share(part, all) {
  return all === 0 ? '–' : `${((100 * part) / all).toFixed(1)} %`;
}

/**
 * A duration in words.
 * @param {number} seconds
 */
export function lasting(seconds) {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}

/**
 * The figures at the top, each with its label.
 * @param {Status} status
 * @returns {[string, string][]}
 */
export function headline(status) {
  const { counted } = status;
  /** @type {[string, string][]} */
  const figures = [
    ['Raters now', count(status.active)],
    ['Completed', `${count(status.done)} of ${count(status.places)}`],
    ['Places held', count(status.held)],
    ['Places left', count(status.free)],
    ['Given up', count(status.given_up)],
    ['Left early', count(counted?.left)],
    ['Disqualified', count(counted?.disqualified)],
    ['Answers', count(counted?.answers)],
  ];
  if (counted && counted.erased > 0) figures.push(['Erased', count(counted.erased)]);
  if (status.cost) {
    figures.push(['Earned so far', money(status.cost.so_far, status.cost.currency)]);
    figures.push(['Still to come', `about ${money(status.cost.to_come, status.cost.currency)}`]);
  }
  return figures;
}

/**
 * When the last place will be completed.
 * @param {Status} status
 * @param {string} [zone] the time zone, the browser's unless given
 */
export function ending({ pace, unix_ms, places, done, given_up, control }, zone) {
  if (control.admission === 'closed') return 'The study is closed';
  if (done + given_up >= places) return 'Every place is settled';
  if (control.admission === 'paused') return 'The study is paused';
  const rate =
    pace.per_hour === null ? '' : `${pace.per_hour.toFixed(pace.per_hour < 10 ? 1 : 0)} completed per hour, `;
  if (pace.ends_unix_ms === null) return `${rate || 'Pace unknown, '}end ${UNKNOWN}`;
  const left = (pace.ends_unix_ms - unix_ms) / 1_000;
  const at = new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: zone,
  }).format(pace.ends_unix_ms);
  return `${rate}ends in about ${lasting(left)} (${at})`;
}

/**
 * What does not work, since when, and why.
 * @param {OpenProblem} open
 */
export function trouble({ problem, reason, lasts_us }) {
  return `${problem} for ${lasting(lasts_us / 1e6)}: ${reason}`;
}

/**
 * The requests that the server has refused, by code.
 * @param {Status} status
 * @returns {[string, string][]}
 */
export function refusals({ refused }) {
  return Object.entries(refused).map(([code, number]) => [code, count(number)]);
}

/**
 * How exact exposures were.
 * @param {TimingQuality} timing
 * @returns {[string, string][]}
 */
export function timing({ displayed, exact, suspect, disturbed, refresh_hz }) {
  const voids = Object.values(disturbed).reduce((sum, number) => sum + number, 0);
  const reasons = Object.entries(disturbed).map(([reason, number]) => `${reason} ${count(number)}`);
  const rates = Object.entries(refresh_hz).map(([hertz, raters]) => `${hertz} Hz × ${count(raters)}`);
  return [
    ['Exact', share(exact, displayed)],
    ['Suspect', share(suspect, displayed)],
    ['Void', reasons.length ? `${count(voids)} (${reasons.join(', ')})` : '0'],
    ['Screens', rates.join(', ') || '–'],
  ];
}

/**
 * The counts of each quality check.
 * @param {CheckCounts[]} all
 * @returns {[string, string][]}
 */
export function checks(all) {
  return all.map(({ name, consequence, passed, failed, unclear }) => [
    consequence === 'exclude' ? `${name} (excludes)` : name,
    `${count(passed)} pass, ${count(failed)} fail, ${count(unclear)} inconclusive`,
  ]);
}

/**
 * The heading of intervals: their level, which is the study's.
 * @param {readonly Pick<ModelEstimate, "interval">[]} estimates
 */
export function intervalHeading(estimates) {
  const level = estimates.find(({ interval }) => interval !== null)?.interval?.level;
  return level === undefined ? 'Interval' : `${Number((100 * level).toFixed(2))} % interval`;
}

/**
 * The ends of an interval; `null` where none is known. One without a width says nothing of how sure the estimate is.
 * @param {Pick<ModelEstimate, "interval">} estimate
 */
export function known({ interval }) {
  return interval && interval.high > interval.low ? interval : null;
}

/**
 * What is known of a rater's checks, in words.
 * @param {RaterRow} row
 */
export function verdict({ flags, excluded, state }) {
  const parts = excluded ? [`excluded by the ${excluded.by}: ${excluded.reason}`] : [];
  for (const flag of flags ?? []) {
    const failed = flag.state === 'fail' ? 'fails' : 'is inconclusive';
    parts.push(`${flag.name} ${failed}${flag.excludes ? ' (excludes)' : ''}: ${flag.why}`);
  }
  if (parts.length > 0) return parts.join('; ');
  if (flags !== null && (state === 'completed' || state === 'excluded')) return 'passes all';
  return '–';
}

/**
 * The ends of a scale that fits all estimates of a measure with their intervals.
 * @param {readonly Pick<ModelEstimate, "value" | "interval">[]} estimates
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
