// Alerts: each in a sentence with one thing to do, and as many as the title says.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertsOf, title, told } from '../assets/operator/alert-words.js';
import { busy, threeHundred } from './mock/operator.js';
import { concerns } from '../assets/figures.js';

/**
 * @import { Alert } from "../page.js"
 */

/** @param {Alert} alert */
function sentence(alert) {
  const { lead, text, verb } = told(alert, Date.UTC(2026, 0, 1, 12));
  return `${lead} ${text} [${verb}]`.replaceAll('\u00a0', ' ').replace(/\d\d:\d\d/, 'TIME');
}

test('every alert has its sentence and its action', () => {
  const since_unix_ms = Date.UTC(2026, 0, 1, 11);
  /** @type {[Alert, string][]} */
  const all = [
    [
      { kind: 'problem', problem: 'disk-full', reason: 'x', since_unix_ms },
      'The disk is full answers are refused, since TIME [Why]',
    ],
    [{ kind: 'panel-lost', panel: 'Prolific', since_unix_ms }, 'Prolific is not reached since TIME [Look]'],
    [{ kind: 'panel-refuses', panel: 'Prolific', requests: 2 }, 'Prolific refuses 2 requests [Look]'],
    [
      { kind: 'budget', currency: 'USD', committed: 72, limit: 80 },
      '$72.00 of $80.00 are spent or promised, and places are open [Look]',
    ],
    [{ kind: 'stalled', since_unix_ms, places: 260 }, 'Nobody has completed since TIME, with 260 places open [Look]'],
    [
      { kind: 'fast', rater: 'r4c83fe1022', fast: 31, answered: 34, below_ms: 250 },
      'r4c83fe10 answers faster than anything can be seen (31 of 34 under 250 ms) [Look]',
    ],
    [{ kind: 'few-answers', items: 3, fewer_than: 3 }, '3 items have under 3 answers [List]'],
    [{ kind: 'few-answers', items: 1, fewer_than: 3 }, '1 item has under 3 answers [List]'],
  ];
  for (const [alert, wanted] of all) assert.equal(sentence(alert), wanted);
});

test('the title of the tab counts all alerts, and none', () => {
  const status = { ...busy(), role: /** @type {const} */ ('reader') };
  assert.equal(title(status), '(2) 233/400 op');
  assert.equal(title({ ...status, alerts_left_out: 3 }), '(5) 233/400 op');
  assert.equal(alertsOf({ alerts: [], alerts_left_out: 0 }), 0);
  assert.equal(title({ ...status, alerts: [] }), '233/400 op');
});

test('what the operator should know of a rater is told, the worst first', () => {
  const rows = threeHundred();
  const plain = (/** @type {string[]} */ told) => told.map((text) => text.replaceAll('\u00a0', ' '));
  const [first, second] = rows;
  assert.ok(first && second);
  assert.deepEqual(plain(concerns({ ...first, hidden: 2 }, 250)), ['31 of 34 under 250 ms', 'tab hidden 2 times']);
  assert.deepEqual(concerns({ ...second, fast: 2 }, 250), []);
  const excluded = rows.at(-1);
  assert.ok(excluded);
  assert.deepEqual(concerns(excluded, 250), ['excluded by the operator: said he guessed']);
});
