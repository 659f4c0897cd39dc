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
      reached: (how) => heard.push(how),
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
  assert.deepEqual(heard, ['events', 'status 0', 'events', 'status 1', 'refused']);
});

test('a server that passes no events on is asked', async () => {
  const { heard } = await followed((path, number) => {
    if (number > 4) return refusal();
    return path === 'operator/events' ? new Response('', { status: 503 }) : Response.json({ done: number });
  });
  assert.deepEqual(heard.slice(0, 4), ['polling', 'status 1', 'polling', 'status 2']);
  assert.equal(heard.at(-1), 'refused');
});

test('a server that is not reached is tried again with growing pauses', async () => {
  const { heard, now } = await followed((_, number) => (number < 12 ? null : refusal()));
  assert.deepEqual(heard, ['refused']);
  assert.equal(now, 1_000 + 2_000 + 4_000 + 8_000 + 15_000 + 15_000);
});

test('how old everything is, is told in words', () => {
  assert.deepEqual(freshness({ how: 'events', at: 0 }, 3_000), { state: 'live', text: 'Live' });
  assert.deepEqual(freshness({ how: 'events', at: 0 }, 14_000), { state: 'lost', text: 'Not reached for 14 s' });
  assert.deepEqual(freshness({ how: 'polling', at: 0 }, 3_000), { state: 'polling', text: 'Asked every 2 s' });
  assert.deepEqual(freshness({ how: 'polling', at: 0 }, 12_000), { state: 'lost', text: 'Not reached for 12 s' });
  assert.deepEqual(freshness({ how: 'none', at: 0 }, 1_000), { state: 'waiting', text: 'Connecting' });
  assert.equal(freshness({ how: 'none', at: 0 }, 70_000).text, 'Not reached for 1 min');
  assert.equal(estimatesAge(null, 0, 9_000), 'No estimates yet');
  assert.equal(estimatesAge(4_000_000, 1_000, 9_000), 'Estimates as of 12 s ago');
});
