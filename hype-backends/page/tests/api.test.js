import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backOff, newTab, remedy, waitAsked } from '../assets/api.js';

test('every fault of the contract has a remedy', () => {
  /** @type {[number, string, string][]} */
  const table = [
    [400, 'bad-request', 'fatal'],
    [401, 'no-session', 'reopen'],
    [404, 'no-such-image', 'reopen'],
    [409, 'taken-over', 'taken-over'],
    [409, 'not-this-trial', 'reopen'],
    [422, 'refused', 'refused'],
    [429, 'too-many', 'retry'],
    [503, 'unavailable', 'retry'],
    [500, '', 'retry'],
    [502, '', 'retry'],
    [413, '', 'fatal'],
  ];
  for (const [status, code, wanted] of table) assert.equal(remedy(status, code), wanted, `${status} ${code}`);
});

test('retry-after is read as seconds or as a date', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  assert.equal(waitAsked('7', now), 7000);
  assert.equal(waitAsked('Thu, 01 Jan 2026 00:00:05 GMT', now), 5000);
  assert.equal(waitAsked('Wed, 31 Dec 2025 00:00:00 GMT', now), 0);
  for (const none of [null, '', 'soon']) assert.equal(waitAsked(none, now), null);
});

test('the wait doubles up to half a minute, with jitter of one half', () => {
  const waits = (/** @type {number} */ random) =>
    [1, 2, 3, 4, 5, 6, 7, 40].map((attempt) => backOff(attempt, null, () => random));
  assert.deepEqual(waits(0), [500, 1000, 2000, 4000, 8000, 15000, 15000, 15000]);
  assert.deepEqual(waits(1), [1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000]);
});

test('the wait is never shorter than the server asks for', () => {
  assert.equal(
    backOff(1, 60_000, () => 0),
    60_000,
  );
  assert.equal(
    backOff(6, 2000, () => 1),
    30_000,
  );
});

test('a tab draws a name of 32 hexadecimal digits each time', () => {
  const names = Array.from({ length: 50 }, newTab);
  for (const name of names) assert.match(name, /^[0-9a-f]{32}$/);
  assert.equal(new Set(names).size, names.length);
});
