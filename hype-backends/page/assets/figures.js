// The figures of the operator's page in words, computed from the study's state without touching the page. A number and its unit are
// joined by a space that does not break.

/**
 * @import { CheckCounts, ModelEstimate, RaterRow, Status, TimingQuality } from "../page.js"
 */

const whole = new Intl.NumberFormat('en');

/** What is shown of a number that is not known. */
export const UNKNOWN = '–';

/** @param {string | number} number @param {string} unit */
export const joined = (number, unit) => `${number}\u00a0${unit}`;

/** A number of things, or that it is not known. @param {number | null | undefined} number */
export const count = (number) => (number === null || number === undefined ? UNKNOWN : whole.format(number));

/** A number of things that have a name. @param {number} number @param {string} thing @param {string} [things] */
export const things = (number, thing, things = `${thing}s`) => joined(count(number), number === 1 ? thing : things);

/** An amount, or that it is not known. @param {string | number | null} amount @param {string} currency */
export function money(amount, currency) {
  if (amount === null) return UNKNOWN;
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(Number(amount));
}

/** An amount that is expected: from 100 on without cents. @param {string | number | null} amount @param {string} currency */
export function expected(amount, currency) {
  if (amount === null || Number(amount) < 100) return money(amount, currency);
  const style = { style: /** @type {const} */ ('currency'), currency, maximumFractionDigits: 0 };
  return new Intl.NumberFormat('en', style).format(Number(amount));
}

/** @param {number} part @param {number} all @param {number} [digits] */
export const share = (part, all, digits = 0) => (all === 0 ? UNKNOWN : `${((100 * part) / all).toFixed(digits)}%`);

/**
 * A duration: seconds matter up to ten minutes, minutes up to a day.
 * @param {number} seconds
 */
export function lasting(seconds) {
  const all = Math.round(seconds);
  const told = (/** @type {[number, string][]} */ ...parts) =>
    parts
      .filter(([number], at) => at === 0 || number > 0)
      .map(([number, unit]) => joined(number, unit))
      .join('\u00a0');
  if (all < 60) return told([all, 's']);
  if (all < 600) return told([Math.floor(all / 60), 'min'], [all % 60, 's']);
  const minutes = Math.round(all / 60);
  if (minutes < 60) return told([minutes, 'min']);
  if (minutes < 24 * 60) return told([Math.floor(minutes / 60), 'h'], [minutes % 60, 'min']);
  const hours = Math.round(minutes / 60);
  return told([Math.floor(hours / 24), 'd'], [hours % 24, 'h']);
}

/** @param {number} unix_ms @param {Intl.DateTimeFormatOptions} options @param {string} [zone] */
const formatted = (unix_ms, options, zone) =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone }).format(unix_ms).replaceAll(' ', '\u00a0');

/** The time of day. @param {number} unix_ms @param {string} [zone] the browser's unless given */
const time = (unix_ms, zone) => formatted(unix_ms, { hour: '2-digit', minute: '2-digit' }, zone);

/** The day. @param {number} unix_ms @param {string} [zone] */
export const day = (unix_ms, zone) => formatted(unix_ms, { day: 'numeric', month: 'short' }, zone);

/**
 * A time, with its day if that is another one.
 * @param {number} unix_ms
 * @param {number} now
 * @param {string} [zone] the browser's unless given
 */
export function clock(unix_ms, now, zone) {
  const at = time(unix_ms, zone);
  return day(unix_ms, zone) === day(now, zone) ? at : `${day(unix_ms, zone)}\u00a0${at}`;
}

/**
 * Who is under way, and which raters and places were lost.
 * @param {Status} status
 * @returns {string[]}
 */
export function losses({ held, raters, given_up, counted, sessions_read, sessions_unreadable }) {
  const parts = [joined(count(held), 'more\u00a0under\u00a0way')];
  if (counted === null) parts.push(`reading the logs: ${things(sessions_read, 'session')} so far`);
  else {
    if (raters.not_qualified > 0) parts.push(joined(count(raters.not_qualified), 'did\u00a0not\u00a0qualify'));
    if (raters.left > 0) parts.push(joined(count(raters.left), 'left'));
    if (raters.excluded > 0) parts.push(joined(count(raters.excluded), 'excluded'));
  }
  if (given_up > 0) parts.push(`${things(given_up, 'place')} given up`);
  if (sessions_unreadable > 0) parts.push(`${things(sessions_unreadable, 'session')} cannot be read`);
  return parts;
}

/** Codes of refused requests in words. @type {Record<string, string>} */
const REFUSED = {
  'not-the-operator': 'with a wrong key',
  'read-only-key': 'with a key for readers',
  'not-found': 'for what is not there',
  'bad-request': 'malformed',
  refused: 'not valid',
};

/**
 * The requests that the server has refused: their number, and what most of them were.
 * @param {Status["refused"]} refused
 * @returns {string}
 */
export function refusals(refused) {
  const [most, ...rest] = Object.entries(refused).sort(([, one], [, other]) => other - one);
  if (most === undefined) return 'None.';
  const all = [most, ...rest].reduce((sum, [, number]) => sum + number, 0);
  const [code, number] = most;
  return `${count(all)} (${rest.length > 0 ? `${count(number)} ` : ''}${REFUSED[code] ?? code})`;
}

/**
 * How exact exposures were.
 * @param {TimingQuality} timing
 * @returns {{ planned: string, rest: string }}
 */
export function timing({ displayed, exact, suspect, disturbed, refresh_hz }) {
  const voids = Object.values(disturbed).reduce((sum, number) => sum + number, 0);
  const rates = Object.entries(refresh_hz).map(([hertz, raters]) => `${joined(hertz, 'Hz')}: ${count(raters)}`);
  const screens = rates.length > 0 ? `${rates.join(', ')} screens` : '';
  return {
    planned: `${count(exact)} of ${count(displayed)} shown as planned (${share(exact, displayed, 1)})`,
    rest: [`${count(suspect)} suspect`, `${count(voids)} void`, screens].filter(Boolean).join(' · '),
  };
}

/**
 * The checks that raters fail, in one sentence.
 * @param {CheckCounts[]} all
 */
export function failing(all) {
  const failed = all.filter((one) => one.failed > 0).map((one) => `${one.name} ${count(one.failed)}`);
  return failed.length > 0 ? `Raters fail checks: ${failed.join(', ')}.` : 'No rater fails a check.';
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
  return UNKNOWN;
}

/**
 * What the operator should know of a rater, the worst first.
 * @param {RaterRow} row
 * @param {number} below_ms the response time below which an answer is too fast
 * @returns {string[]}
 */
export function concerns(row, below_ms) {
  const { attention, fast, answered, hidden, flags, excluded } = row;
  const parts = excluded || flags?.length ? [verdict(row)] : [];
  if (attention && fast > 0) parts.unshift(`${count(fast)} of ${count(answered)} under ${joined(below_ms, 'ms')}`);
  if (hidden > 0) parts.push(`tab hidden ${things(hidden, 'time')}`);
  return parts;
}

/** A proportion is shown in percent. @param {string} unit */
const isShare = (unit) => unit === 'proportion';

/**
 * The decimals of a column of estimates: the narrowest half of an interval has two digits.
 * @param {readonly Pick<ModelEstimate, "value" | "interval">[]} estimates
 * @param {string} unit
 */
export function decimals(estimates, unit) {
  const halves = estimates.map(({ value, interval }) =>
    interval ? (interval.high - interval.low) / 2 : Math.abs(value) / 20,
  );
  const wide = halves.filter((half) => half > 1e-12).map((half) => (isShare(unit) ? 100 * half : half));
  if (wide.length === 0) return 1;
  return Math.max(0, Math.min(6, 1 - Math.floor(Math.log10(Math.min(...wide)))));
}

/**
 * A number of a column, with a typographical minus.
 * @param {number} value
 * @param {number} decimals
 * @param {string} unit
 */
export function fixed(value, decimals, unit) {
  const text = (isShare(unit) ? 100 * value : value).toFixed(decimals);
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '\u2212');
}

/**
 * An estimate, with its unit.
 * @param {number} value
 * @param {number} decimals
 * @param {string} unit
 */
export function measured(value, decimals, unit) {
  const text = fixed(value, decimals, unit);
  if (isShare(unit)) return `${text}%`;
  return unit === '' ? text : joined(text, unit);
}

/**
 * The heading of intervals: their level, which is the study's.
 * @param {readonly Pick<ModelEstimate, "interval">[]} estimates
 */
export function intervalHeading(estimates) {
  const level = estimates.find(({ interval }) => interval !== null)?.interval?.level;
  return level === undefined ? 'Interval' : `${Number((100 * level).toFixed(2))}% interval`;
}

/**
 * The ends of an interval; `null` where none is known. One without a width says nothing of how sure the estimate is.
 * @param {Pick<ModelEstimate, "interval">} estimate
 */
export function known({ interval }) {
  return interval && interval.high > interval.low ? interval : null;
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
