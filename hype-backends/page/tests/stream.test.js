// How the operator's page follows the study: events where they come, questions where they do not, and never in silence.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimatesAge, freshness } from '../assets/operator/freshness.js';
import { follow, pause, splitter } from '../assets/operator/stream.js';

test('events are complete wherever the stream is cut', () => {
  const text = ': still here\n\nevent: status\ndata: {"a":"ü"}\n\nevent: status\ndata: {"b":2}\n\n';
  const wanted = [
    { name: 'status', data: '{"a":"ü"}' },
    { name: 'status', data: '{"b":2}' },
  ];
  for (let cut = 0; cut <= text.length; cut += 1) {
    const split = splitter();
    assert.deepEqual([...split(text.slice(0, cut)), ...split(text.slice(cut))], wanted, `cut at ${cut}`);
  }
});

test('attempts come less and less often', () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 99].map(pause), [1_000, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
});

/** A server with these answers, and what the page heard of it. @param {(path: string, number: number) => Response | null} answer */
async function followed(answer) {
  let [now, asked] = [0, 0];
  /** @type {string[]} */
  const heard = [];
  await follow(
    {
      status: (status) => heard.push(`status ${status.done}`),
      reached: () => heard.push('reached'),
      refused: () => heard.push('refused'),
    },
    {
      ask: (path) => {
        const response = answer(path, asked);
        asked += 1;
        return response === null ? Promise.reject(new TypeError('not reached')) : Promise.resolve(response);
      },
      sleep: (ms) => Promise.resolve((now += ms)),
      now: () => now,
    },
  );
  return { heard, now };
}

const refusal = () => new Response('{}', { status: 401 });
/** @param {number} done */
const event = (done) => new Response(`event: status\ndata: ${JSON.stringify({ done })}\n\n`);

test('a connection that ends is opened again', async () => {
  const { heard } = await followed((_, number) => (number < 2 ? event(number) : refusal()));
  assert.deepEqual(heard, ['reached', 'status 0', 'reached', 'status 1', 'refused']);
});

test('a server that passes no events on is asked', async () => {
  const { heard } = await followed((path, number) => {
    if (number > 4) return refusal();
    return path === 'operator/events' ? new Response('', { status: 503 }) : Response.json({ done: number });
  });
  assert.deepEqual(heard.slice(0, 4), ['reached', 'status 1', 'reached', 'status 2']);
  assert.equal(heard.at(-1), 'refused');
});

test('a server that is not reached is tried again with growing pauses', async () => {
  const { heard, now } = await followed((_, number) => (number < 12 ? null : refusal()));
  assert.deepEqual(heard, ['refused']);
  assert.equal(now, 1_000 + 2_000 + 4_000 + 8_000 + 15_000 + 15_000);
});

test('how old everything is, is told in words', () => {
  const told = (/** @type {number} */ now) => freshness({ isReached: true, at: 0 }, now);
  assert.deepEqual(told(4_000), { isLost: false, text: 'updated 4\u00a0s ago' });
  assert.deepEqual(told(29_000), { isLost: false, text: 'updated 29\u00a0s ago' });
  assert.deepEqual(told(30_000), { isLost: true, text: 'updated 30\u00a0s ago' });
  assert.deepEqual(freshness({ isReached: false, at: 0 }, 1_000), { isLost: false, text: 'connecting' });
  assert.equal(freshness({ isReached: false, at: 0 }, 70_000).isLost, true);
  assert.equal(estimatesAge(null, 0, 9_000), 'no estimates yet');
  assert.equal(estimatesAge(4_000_000, 1_000, 9_000), 'as of 12\u00a0s ago');
});
