// How fast raters complete, and when the last place will be completed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ending, expectedEnd, pace } from '../assets/operator/pace.js';
import { busy } from './mock/operator.js';

/**
 * @import { CompletionPace, Status } from "../page.js"
 */

const NOW = Date.UTC(2026, 10, 27, 15, 40);

/** @param {Partial<CompletionPace>} counts @param {Partial<Status>} [more] @param {number} [minutes] since the opening @returns {Status} */
const status = (counts, more = {}, minutes = 98) => ({
  ...{ ...busy(), role: 'reader', places: 300, done: 40, given_up: 0 },
  ...{ unix_ms: NOW, opened_unix_ms: NOW - minutes * 60_000 },
  pace: { ten_minutes: 0, hour: 0, bins: [], ...counts },
  ...more,
});

/** A text with ordinary spaces. @param {string} text */
const plain = (text) => text.replaceAll('\u00a0', ' ');

/** @param {ReturnType<typeof ending>} end */
const told = ({ from, to, about }) => [from, to, about].map(plain);

test('the pace is by the minute, and by the hour where it is slow', () => {
  const shown = (/** @type {Status} */ status) => Object.values(pace(status)).map(plain);
  assert.deepEqual(shown(status({ ten_minutes: 12 })), ['Pace, last 10 min', '1.2', 'per min']);
  assert.deepEqual(shown(status({ ten_minutes: 3 })), ['Pace, last 10 min', '18', 'per hour']);
  assert.deepEqual(shown(status({})), ['Pace, last 10 min', '0', 'per min']);
  // A study that opened lately has no ten minutes.
  assert.deepEqual(shown(status({ ten_minutes: 8 }, {}, 4)), ['Pace, last 4 min', '2.0', 'per min']);
});

test('the end is a range between the paces of the last ten and of the last sixty minutes', () => {
  const range = expectedEnd(status({ ten_minutes: 13, hour: 60 }));
  assert.deepEqual(range, { from: NOW + (260 / 1.3) * 60_000, to: NOW + 260 * 60_000 });
  assert.deepEqual(told(ending(status({ ten_minutes: 13, hour: 60 }), 'UTC')), [
    '19:00',
    'to 20:00',
    'in 3 h 20 min at this pace',
  ]);
  // Where one of the windows is empty, the other one tells.
  assert.equal(ending(status({ ten_minutes: 0, hour: 60 }), 'UTC').to, '');
  const days = ending(status({ ten_minutes: 2, hour: 6 }), 'UTC');
  assert.deepEqual(told(days).slice(0, 2), ['28 Nov', 'to 29 Nov']);
});

test('the end is a dash while it is not known, and says why', () => {
  assert.equal(expectedEnd(status({ ten_minutes: 4, hour: 4 }, { done: 4 })), null);
  const shown = (/** @type {Status} */ status) => told(ending(status, 'UTC')).filter(Boolean);
  assert.deepEqual(shown(status({ ten_minutes: 4, hour: 4 }, { done: 4 })), ['–', 'once 5 raters have completed']);
  assert.deepEqual(shown(status({})), ['–', 'no raters complete at the moment']);
  assert.deepEqual(shown(status({}, { done: 299, given_up: 1 })), ['–', 'every place is settled']);
  for (const admission of /** @type {const} */ (['paused', 'closed'])) {
    const control = { ...busy().control, admission };
    assert.deepEqual(shown(status({ ten_minutes: 9, hour: 9 }, { control })), ['–', `the study is ${admission}`]);
  }
});
