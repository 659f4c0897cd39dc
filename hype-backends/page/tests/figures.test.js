// The operator's numbers: those of the report, each joined to its unit, and nothing that is not known.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  clock,
  count,
  decimals,
  expected,
  failing,
  fixed,
  intervalHeading,
  known,
  lasting,
  losses,
  measured,
  money,
  refusals,
  scale,
  share,
  things,
  timing,
} from '../assets/figures.js';
import { estimated, look } from '../assets/operator/panels.js';
import { busy } from './mock/operator.js';

/** A text with ordinary spaces. @param {string} text */
const plain = (text) => text.replaceAll('\u00a0', ' ');

/** An interval. @param {number} low @param {number} high @param {number} [level] */
const interval = (low, high, level = 0.95) => ({ low, high, level, method: 'percentile' });

test('an estimate and its interval are written as in the report', () => {
  const shares = [
    { value: 0.513, interval: interval(0.467, 0.558) },
    { value: 0.434, interval: interval(0.392, 0.477) },
  ];
  const digits = decimals(shares, 'proportion');
  assert.equal(measured(0.513, digits, 'proportion'), '51.3%');
  const row = { model: 'vae', raters: 14, with_excluded: null, value: 0.513, interval: interval(0.467, 0.558) };
  assert.equal(plain(estimated(row, digits, 'proportion')), '51.3% [46.7, 55.8]');
  assert.equal(estimated({ ...row, interval: null }, digits, 'proportion'), '51.3%');
  const times = [{ value: 413, interval: interval(379, 446) }];
  assert.equal(plain(measured(413, decimals(times, 'ms'), 'ms')), '413 ms');
  // The narrowest half of an interval decides.
  assert.equal(decimals([...times, { value: 200, interval: interval(199.1, 200.9) }], 'ms'), 2);
  assert.equal(fixed(-0.42, 1, ''), '\u22120.4');
  assert.equal(fixed(-1e-17, 2, ''), '0.00');
});

test('what a value is drawn on fits all of them', () => {
  const on = scale([
    { value: -1e-17, interval: null },
    { value: 0, interval: null },
  ]);
  assert.ok(on.low < 0 && on.high > 0 && on.high - on.low === 2);
});

test('what is not known is a dash, and never 0', () => {
  assert.deepEqual([count(null), money(null, 'USD'), expected(null, 'USD'), share(0, 0)], ['–', '–', '–', '–']);
  const reading = losses({ ...busy(), role: 'reader', counted: null, sessions_read: 1_024 });
  assert.deepEqual(reading.map(plain), ['60 more under way', 'reading the logs: 1,024 sessions so far']);
});

test('counts, money and shares are those of the report', () => {
  assert.equal(count(3_008), '3,008');
  assert.equal(plain(things(1, 'place')), '1 place');
  assert.deepEqual(
    [money('55.9', 'USD'), expected('55.9', 'USD'), expected('450.6', 'USD')],
    ['$55.90', '$55.90', '$451'],
  );
  assert.equal(share(40, 300), '13%');
  assert.deepEqual(losses({ ...busy(), role: 'reader', given_up: 1 }).map(plain), [
    '60 more under way',
    '4 did not qualify',
    '2 left',
    '1 excluded',
    '1 place given up',
  ]);
});

test("intervals have the study's level, and one without a width is not shown as known", () => {
  assert.equal(intervalHeading([{ interval: null }, { interval: interval(1, 2, 0.9) }]), '90% interval');
  assert.equal(intervalHeading([{ interval: interval(1, 2, 0.975) }]), '97.5% interval');
  assert.equal(intervalHeading([{ interval: null }]), 'Interval');
  assert.equal(known({ interval: interval(195, 195) }), null);
  assert.equal(known({ interval: interval(1, 2) })?.low, 1);
});

test('durations are told in the units that fit', () => {
  const told = [0, 42, 60, 190, 2_280, 3_600, 5_880, 86_400, 90_000, 700_000].map((seconds) => plain(lasting(seconds)));
  const wanted = ['0 s', '42 s', '1 min', '3 min 10 s', '38 min', '1 h', '1 h 38 min', '1 d', '1 d 1 h', '8 d 2 h'];
  assert.deepEqual(told, wanted);
  assert.doesNotMatch(lasting(5_880), / /, 'a number and its unit never break');
});

test('a time has its day if that is another one', () => {
  const at = Date.UTC(2026, 10, 27, 19, 17);
  assert.equal(clock(at, at + 3_600_000, 'UTC'), '19:17');
  assert.equal(plain(clock(at, at + 8 * 3_600_000, 'UTC')), '27 Nov 19:17');
});

test('displays, checks and refused requests are a sentence each', () => {
  const { timing: exposures, checks, refused } = busy();
  assert.ok(exposures);
  const told = timing(exposures);
  assert.equal(told.planned, '9,560 of 9,608 shown as planned (99.5%)');
  assert.equal(plain(told.rest), '48 suspect · 6 void · 60 Hz: 280, 144 Hz: 20 screens');
  assert.equal(failing(checks), 'Raters fail checks: catch 1.');
  assert.equal(failing([]), 'No rater fails a check.');
  assert.equal(refusals(refused), '10 (9 with a wrong key)');
  assert.equal(refusals({ refused: 2 }), '2 (not valid)');
  assert.equal(refusals({}), 'None.');
});

test('whether a decision may be taken from the estimates is said', () => {
  assert.equal(look(null), 'interim, no decision from it');
  const looks = [20, 40, 60].map((raters) => ({ raters, boundary: 2.361, stops: false, taken: raters < 40 }));
  const rule = {
    beyond: 0,
    looks,
    measure: 'error',
    method: '',
    per_model: true,
    planned: 60,
    rule: {},
    statistic: 'z',
  };
  assert.equal(look(rule), 'look 1 of 3 · boundary 2.36');
  assert.equal(plain(look({ ...rule, stopped_at: 40 })), 'the rule has ended the study at 40 raters');
});
