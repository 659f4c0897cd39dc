import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Images } from '../assets/images.js';

/**
 * A network whose files have four bytes, which arrive one by one, each when it is let through.
 * @returns {{ asked: string[], pass: (token: string) => Promise<void> }}
 */
function network() {
  /** @type {string[]} */
  const asked = [];
  /** @type {Map<string, ReadableStreamDefaultController<Uint8Array>>} */
  const streams = new Map();
  /** @type {Map<string, number>} */
  const passed = new Map();
  /** @type {any} */ (globalThis).fetch = async (/** @type {URL} */ address) => {
    const token = String(address).split('/').at(-1) ?? '';
    asked.push(token);
    const body = new ReadableStream({ start: (stream) => void streams.set(token, stream) });
    return new Response(body, { headers: { 'content-type': 'video/mp4', 'content-length': '4' } });
  };
  const pass = async (/** @type {string} */ token) => {
    const count = (passed.get(token) ?? 0) + 1;
    passed.set(token, count);
    streams.get(token)?.enqueue(new Uint8Array(1));
    if (count === 4) streams.get(token)?.close();
    await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { asked, pass };
}

test('how much of the files has arrived is told while they arrive together', async () => {
  const { pass } = network();
  /** @type {string[]} */
  const told = [];
  const images = new Images();
  const loading = images.load(['a', 'b'], (done, all) => told.push(`${done} of ${all}`));
  await new Promise((resolve) => setTimeout(resolve, 5));
  for (const token of ['a', 'b', 'a', 'b', 'a', 'a']) await pass(token);
  assert.deepEqual(
    [...new Set(told)],
    ['0 of 2', '0.25 of 2', '0.5 of 2', '0.75 of 2', '1 of 2', '1.25 of 2', '1.5 of 2'],
  );
  for (const token of ['b', 'b']) await pass(token);
  await loading;
  assert.equal(told.at(-1), '2 of 2');
});

test('what was asked for ahead is not asked for again, and tells how much of it is there', async () => {
  const { asked, pass } = network();
  const images = new Images();
  const ahead = images.load(['a'], () => undefined);
  await new Promise((resolve) => setTimeout(resolve, 5));
  for (const token of ['a', 'a']) await pass(token);
  /** @type {number[]} */
  const told = [];
  const loading = images.load(['a'], (done) => told.push(done));
  for (const token of ['a', 'a']) await pass(token);
  await Promise.all([ahead, loading]);
  assert.deepEqual([asked, told[0], told.at(-1)], [['a'], 0.5, 1]);
});
