import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

import { BlockFailed, Stimuli } from '../assets/stimuli.js';

/** @typedef {{ closed: boolean, width: number, height: number }} Bitmap */

/** @type {Bitmap[]} */
let bitmaps = [];
/** @type {string[]} */
let asked = [];

/**
 * A network with a response for every attempt at every image: a status, `"down"`, or `"junk"`, which is not an image.
 * @param {Record<string, (number | "down" | "junk")[]>} tries 200 by default
 */
function network(tries) {
  /** @type {any} */ (globalThis).fetch = async (/** @type {string} */ address) => {
    asked.push(address);
    const next = tries[address.replace('image/', '')]?.shift() ?? 200;
    if (next === 'down') throw new TypeError('no network');
    const status = next === 'junk' ? 200 : next;
    return new Response(next === 'junk' ? 'junk' : 'image', {
      status,
      headers: { 'content-type': 'image/png', ...(status === 429 ? { 'retry-after': '2' } : {}) },
    });
  };
}

beforeEach(() => {
  bitmaps = [];
  asked = [];
  Object.assign(globalThis, {
    createImageBitmap: async (/** @type {Blob} */ blob) => {
      if ((await blob.text()) === 'junk') throw new DOMException('no image', 'InvalidStateError');
      const bitmap = {
        width: 10,
        height: 10,
        closed: false,
        close() {
          this.closed = true;
        },
      };
      bitmaps.push(bitmap);
      return bitmap;
    },
    OffscreenCanvas: class {
      getContext() {
        return { drawImage() {} };
      }
      transferToImageBitmap() {
        return { close() {} };
      }
    },
  });
});

/**
 * Advances the clock until a promise settles.
 * @template T
 * @param {import("node:test").TestContext} t
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
async function settled(t, promise) {
  let over = false;
  const done = () => {
    over = true;
  };
  promise.then(done, done);
  while (!over) {
    await turn();
    t.mock.timers.tick(500);
  }
  return promise;
}

test('a block is loaded whole, each image once, and reports its progress', async () => {
  network({});
  /** @type {[number, number][]} */
  const told = [];
  const stimuli = new Stimuli();
  await stimuli.load(['a', 'b', 'a', 'c'], (loaded, total) => told.push([loaded, total]));
  assert.deepEqual(asked.sort(), ['image/a', 'image/b', 'image/c']);
  assert.deepEqual(told, [
    [0, 3],
    [1, 3],
    [2, 3],
    [3, 3],
  ]);
  await stimuli.ready(['a', 'b', 'c']);
  assert.equal(stimuli.bitmap('b').width, 10);
});

test('texts of a block are kept as they are, without decoding', async () => {
  const stimuli = new Stimuli();
  /** @type {any} */ (globalThis).fetch = async () =>
    new Response('<p>a</p>', { headers: { 'content-type': 'text/plain; charset=utf-8' } });
  await stimuli.load(['a']);
  await stimuli.ready(['a']);
  assert.equal(stimuli.html('a'), '<p>a</p>');
  assert.deepEqual([stimuli.html('b'), bitmaps], [null, []]);
  stimuli.release();
  assert.equal(stimuli.html('a'), null);
});

test('failures of the network and the server are retried', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  network({ a: ['down', 503, 429], b: [500, 'down', 'down', 'down'] });
  await settled(t, new Stimuli().load(['a', 'b']));
  assert.equal(asked.filter((address) => address === 'image/a').length, 4);
  assert.equal(asked.filter((address) => address === 'image/b').length, 5);
});

test('a file that arrives slowly is asked for once, and one that has ceased to arrive is asked for again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  /** @type {any} */ (globalThis).fetch = async (
    /** @type {string} */ address,
    /** @type {RequestInit} */ { signal },
  ) => {
    asked.push(address);
    // The first answer about `dead` stays without an end; others have six parts, one every 20 seconds.
    let parts = address === 'image/dead' && asked.filter((one) => one === address).length === 1 ? Infinity : 6;
    const body = new ReadableStream({
      start: (stream) => signal?.addEventListener('abort', () => stream.error(signal.reason)),
      async pull(stream) {
        if (parts === Infinity) return new Promise(() => {});
        await new Promise((resolve) => setTimeout(() => resolve(undefined), 20_000));
        if (signal?.aborted) return;
        stream.enqueue(new TextEncoder().encode('part'));
        parts -= 1;
        if (parts === 0) stream.close();
      },
    });
    return new Response(body, { headers: { 'content-type': 'image/png' } });
  };
  await settled(t, new Stimuli().load(['slow', 'dead']));
  assert.deepEqual(asked, ['image/slow', 'image/dead', 'image/dead']);
});

/** @type {[string, (number | "down" | "junk")[], string, number | null][]} */
const FAILURES = [
  ['an image of another block', [404], 'status', 404],
  ['a server that keeps failing', [500, 502, 503, 500, 500], 'status', 500],
  ['a network that stays down', ['down', 'down', 'down', 'down', 'down'], 'network', null],
  ['a file that is not an image', ['junk'], 'decode', null],
];

for (const [name, tries, reason, status] of FAILURES) {
  test(`a block fails to load with the reason: ${name}`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    network({ bad: [...tries] });
    const stimuli = new Stimuli();
    await assert.rejects(settled(t, stimuli.load(['a', 'bad', 'b'])), (error) => {
      assert.ok(error instanceof BlockFailed);
      assert.deepEqual([error.token, error.reason, error.status], ['bad', reason, status]);
      return true;
    });
    assert.equal(asked.filter((address) => address === 'image/bad').length, tries.length);
    assert.ok(
      bitmaps.every(({ closed }) => closed),
      'no image is kept',
    );
  });
}

test('the next block releases the images that it does not use', async () => {
  network({});
  const stimuli = new Stimuli();
  await stimuli.load(['a', 'b']);
  await stimuli.load(['b', 'c']);
  assert.deepEqual(asked, ['image/a', 'image/b', 'image/c']);
  assert.deepEqual(
    bitmaps.map(({ closed }) => closed),
    [true, false, false],
  );
  stimuli.release();
  assert.ok(bitmaps.every(({ closed }) => closed));
  await assert.rejects(stimuli.ready(['b']), BlockFailed);
});

test('beyond the budget, images are decoded for their trial and released afterwards', async () => {
  network({});
  const stimuli = new Stimuli(2 * 400);
  await stimuli.load(['a', 'b', 'c']);
  assert.deepEqual(
    bitmaps.map(({ closed }) => closed),
    [false, false, true],
  );
  await stimuli.ready(['a', 'c']);
  assert.deepEqual(
    bitmaps.map(({ closed }) => closed),
    [false, false, true, false],
  );
  assert.equal(stimuli.bitmap('c').width, 10);
  stimuli.trialOver();
  assert.deepEqual(
    bitmaps.map(({ closed }) => closed),
    [false, false, true, true],
  );
});
