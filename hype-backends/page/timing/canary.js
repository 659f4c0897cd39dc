/**
 * Detects when the machine delays a process that only reads the clock. A trial at such a moment says nothing about
 * its page.
 */

import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

/** @typedef {{ from: number, to: number }} Pause µs, in the clock that Chromium traces by (`CLOCK_MONOTONIC`) */

const SLEEP_MS = 2;
const TOLERATED_US = 6000;

const clock = () => Number(process.hrtime.bigint() / 1000n);

/** Sleeps and reads the clock until asked to stop. */
function watch() {
  const stop = new Int32Array(workerData);
  /** @type {Pause[]} */
  const pauses = [];
  for (let from = clock(); Atomics.load(stop, 0) === 0;) {
    Atomics.wait(stop, 0, 0, SLEEP_MS);
    const to = clock();
    if (to - from > SLEEP_MS * 1000 + TOLERATED_US) pauses.push({ from, to });
    from = to;
  }
  parentPort?.postMessage(pauses);
}

/**
 * Watches the machine from now on.
 * @returns {() => Promise<Pause[]>} ends the watch and returns all pauses
 */
export function canary() {
  const stop = new SharedArrayBuffer(4);
  const worker = new Worker(new URL(import.meta.url), { workerData: stop });
  const pauses = new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  return () => {
    Atomics.store(new Int32Array(stop), 0, 1);
    Atomics.notify(new Int32Array(stop), 0);
    return pauses;
  };
}

if (!isMainThread) watch();
