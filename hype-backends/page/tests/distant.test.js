// The network of tests: what it carries.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { Distant } from './program/distant.js';

/** @import { AddressInfo } from "node:net" */

test('a line that loses packets delivers everything in order, on every connection', async () => {
  const sent = Buffer.from(Array.from({ length: 60_000 }, (_, at) => at % 251));
  const server = createServer((socket) => void socket.on('error', () => undefined).end(sent)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {AddressInfo} */ (server.address());
  const network = { round_trip_ms: 20, bytes_per_second: 100_000, lost: { share: 0.2, again_ms: 60 } };
  const distant = new Distant(`http://127.0.0.1:${port}`, network);
  const address = new URL(await distant.start());
  try {
    const arrived = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const parts = [];
        for await (const part of connect(Number(address.port), '127.0.0.1')) parts.push(part);
        return Buffer.concat(parts);
      }),
    );
    const wrong = arrived.map((bytes) => sent.findIndex((byte, at) => bytes[at] !== byte));
    assert.deepEqual({ wrong, lengths: arrived.map(({ length }) => length) }, { wrong: [-1, -1, -1, -1], lengths: Array(4).fill(60_000) }); // prettier-ignore
  } finally {
    await distant.stop();
    server.close();
  }
});
