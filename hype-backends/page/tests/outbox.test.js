import 'fake-indexeddb/auto';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../assets/api.js';
import { Outbox } from '../assets/outbox.js';
import { MemoryStore, openStore } from '../assets/store.js';

/**
 * @import { Receipt, Report } from "../page.js"
 * @import { Store } from "../assets/store.js"
 */

/** A patience that never waits and counts the requests to wait. */
class Hasty {
  waits = /** @type {number[]} */ ([]);
  /** @param {number} milliseconds */
  async wait(milliseconds) {
    this.waits.push(milliseconds);
  }
  hurry() {}
}

/** @param {number} trial @param {number} [showing] @returns {Report} */
function answer(trial, showing = 0) {
  return {
    to: 'answer',
    body: { trial, showing, answer: { judgment: 'real' }, rt_us: 400_000, display: null, scale: null },
  };
}

/** @param {Report} report @returns {Receipt} */
function receipt(report) {
  const next = /** @type {any} */ ({ screen: 'trial', after: report.body.trial });
  return { saved: true, correct: null, next };
}

/**
 * @param {Store} store
 * @param {(report: Report) => Promise<Receipt>} send
 */
function outbox(store, send) {
  /** @type {string[]} */
  const statuses = [];
  const patience = new Hasty();
  const box = new Outbox(
    store,
    send,
    (status) => statuses.push(status),
    /** @type {any} */ (patience),
    () => 0,
  );
  return { box, statuses, patience };
}

/** The kinds of store, which must behave in the same way. @type {[string, () => Promise<Store>][]} */
const STORES = [
  ['memory', async () => new MemoryStore()],
  ['IndexedDB', () => openStore(`outbox-${Math.random()}`, () => indexedDB)],
];

for (const [name, open] of STORES) {
  test(`${name}: reports are sent in the order of their trials, and deleted when acknowledged`, async () => {
    const store = await open();
    /** @type {string[]} */
    const sent = [];
    const { box, statuses } = outbox(store, async (report) => {
      sent.push(`${report.body.trial}.${report.body.showing}`);
      return receipt(report);
    });
    for (const report of [answer(10), answer(2, 1), answer(2)]) await box.add(report);
    assert.equal(box.unsent, true);
    const last = await box.flush();
    assert.deepEqual(sent, ['2.0', '2.1', '10.0']);
    assert.equal(/** @type {any} */ (last?.next).after, 10);
    assert.equal(box.unsent, false);
    assert.deepEqual(await store.all(), []);
    assert.equal(statuses.at(-1), 'saved');
  });

  test(`${name}: an unsent report is found after a reload`, async () => {
    const store = await open();
    const first = outbox(store, async () => {
      throw new Failure('taken-over', 'taken-over', '');
    });
    await first.box.add(answer(3));
    await assert.rejects(first.box.flush(), { code: 'taken-over' });
    const second = outbox(store, async (report) => receipt(report));
    await second.box.restore();
    assert.equal(second.box.unsent, true);
    assert.equal(/** @type {any} */ ((await second.box.flush())?.next).after, 3);
    assert.deepEqual(await store.all(), []);
  });

  test(`${name}: a presentation interrupted by a reload is reported as disturbed`, async () => {
    const store = await open();
    const before = outbox(store, async (report) => receipt(report));
    await before.box.expect({ trial: 4, showing: 1, reason: 'hidden', display: null });
    assert.equal(before.box.unsent, false);
    assert.equal(await before.box.flush(), null);
    /** @type {Report[]} */
    const sent = [];
    const after = outbox(store, async (report) => {
      sent.push(report);
      return receipt(report);
    });
    await after.box.restore();
    await after.box.flush();
    assert.deepEqual(
      sent.map((report) => [report.to, report.body.trial, report.body.showing]),
      [['disturbed', 4, 1]],
    );
  });

  test(`${name}: the answer replaces the disturbance stored in case of a reload`, async () => {
    const store = await open();
    /** @type {string[]} */
    const sent = [];
    const { box } = outbox(store, async (report) => {
      sent.push(report.to);
      return receipt(report);
    });
    await box.expect({ trial: 4, showing: 0, reason: 'hidden', display: null });
    await box.add(answer(4));
    await box.restore();
    await box.flush();
    assert.deepEqual(sent, ['answer']);
    assert.deepEqual(await store.all(), []);
  });
}

test('an outage is waited out with growing pauses, and the rater is informed', async () => {
  let attempts = 0;
  const { box, statuses, patience } = outbox(new MemoryStore(), async (report) => {
    attempts += 1;
    if (attempts < 5) throw new Failure('retry', 'unavailable', '', attempts === 1 ? 9000 : null);
    return receipt(report);
  });
  await box.add(answer(0));
  await box.flush();
  assert.equal(attempts, 5);
  assert.deepEqual(patience.waits, [9000, 1000, 2000, 4000]);
  assert.deepEqual(new Set(statuses), new Set(['sending', 'waiting', 'saved']));
});

test('a report is never sent twice at the same time', async () => {
  let under = 0;
  let sent = 0;
  const { box } = outbox(new MemoryStore(), async (report) => {
    under += 1;
    sent += 1;
    assert.equal(under, 1);
    await new Promise((resolve) => setImmediate(resolve));
    under -= 1;
    return receipt(report);
  });
  await box.add(answer(0));
  await Promise.all([box.flush(), box.flush()]);
  assert.equal(sent, 1);
});

test('reports that can never be accepted are dropped; reports that another tab blocks are kept', async () => {
  /** @type {[import('../assets/api.js').Remedy, string, boolean][]} */
  const cases = [
    ['refused', 'refused', false],
    ['fatal', 'bad-request', false],
    ['reopen', 'not-this-trial', false],
    ['reopen', 'no-session', true],
    ['taken-over', 'taken-over', true],
  ];
  for (const [remedy, code, kept] of cases) {
    const { box } = outbox(new MemoryStore(), async () => {
      throw new Failure(remedy, code, '');
    });
    await box.add(answer(0));
    await assert.rejects(box.flush(), { code });
    assert.equal(box.unsent, kept, code);
  }
});

test('a browser that denies its database is served from memory', async () => {
  const denied = /** @type {any} */ ({
    open() {
      throw new DOMException('denied', 'SecurityError');
    },
  });
  for (const factory of [undefined, denied]) {
    const store = await openStore('outbox', () => factory);
    await store.put({ key: '0.0', provisional: false, report: answer(0) });
    assert.equal((await store.all()).length, 1);
    await store.clear();
    assert.equal((await store.all()).length, 0);
  }
});

test('a disk that fails does not lose what memory holds', async () => {
  const broken = /** @type {Store} */ ({
    all: () => Promise.reject(new Error('disk')),
    put: () => Promise.reject(new Error('disk')),
    remove: () => Promise.reject(new Error('disk')),
    clear: () => Promise.reject(new Error('disk')),
  });
  const { box } = outbox(broken, async (report) => receipt(report));
  await box.restore();
  await box.add(answer(7));
  assert.equal(/** @type {any} */ ((await box.flush())?.next).after, 7);
});
