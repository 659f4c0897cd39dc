// A network between a page and a distant server: latency, a bandwidth that all connections share, and packets that are lost.

import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { generator } from '../mock/pictures.js';

/** @import { AddressInfo, Socket } from "node:net" */

/** The share of the bandwidth that is sent at once, in seconds. */
const SLICE = 0.005;

/** A proxy before a server on this computer, which delays everything. */
export class Distant {
  /** @type {Set<Socket>} */
  #sockets = new Set();
  /** When the shared line is free again, in milliseconds of `performance.now()`. */
  #free = 0;
  #random = generator(1);

  /**
   * @param {string} address of the server
   * @param {{ round_trip_ms: number, bytes_per_second: number, lost?: { share: number, again_ms: number } }} network with the share
   *   of packets that are lost, and how long it takes until they are sent again
   */
  constructor(address, network) {
    this.server = new URL(address);
    this.network = network;
    this.listener = createServer((socket) => this.#accept(socket));
  }

  /** Starts, and returns the address of the server behind the network. */
  async start() {
    this.listener.listen(0, '127.0.0.1');
    await once(this.listener, 'listening');
    const address = new URL(this.server);
    address.port = String(/** @type {AddressInfo} */ (this.listener.address()).port);
    return address.href;
  }

  async stop() {
    for (const socket of this.#sockets) socket.destroy();
    this.listener.close();
    await once(this.listener, 'close');
  }

  /** @param {Socket} near */
  #accept(near) {
    const far = connect(Number(this.server.port), this.server.hostname);
    const { round_trip_ms } = this.network;
    // A new connection costs a round trip before the request can leave.
    this.#carry(near, far, performance.now() + round_trip_ms, () => 0);
    this.#carry(far, near, 0, (bytes) => (bytes * 1000) / this.network.bytes_per_second);
  }

  /**
   * Carries what one end sends to the other, in order: half a round trip later, and after the line has been free for as
   * long as it takes.
   * @param {Socket} from
   * @param {Socket} to
   * @param {number} open
   * @param {(bytes: number) => number} duration in milliseconds
   */
  #carry(from, to, open, duration) {
    this.#sockets.add(from);
    let last = 0;
    /** What is on its way: timers that are due together end in any order. @type {(() => void)[]} */
    const sent = [];
    /** @param {number} when @param {() => void} act */
    const later = (when, act) => {
      last = Math.max(last, when);
      sent.push(act);
      setTimeout(() => sent.shift()?.(), last - performance.now());
    };
    const slice = Math.ceil(this.network.bytes_per_second * SLICE);
    from.on('data', (data) => {
      for (let at = 0; at < data.length; at += slice) {
        const part = data.subarray(at, at + slice);
        const cost = duration(part.length);
        const begin = Math.max(performance.now(), open, cost > 0 ? this.#free : 0);
        if (cost > 0) this.#free = begin + cost;
        const { share, again_ms } = this.network.lost ?? { share: 0, again_ms: 0 };
        // What follows on the same connection waits, too.
        const late = this.#random() < share ? again_ms : 0;
        later(begin + cost + late + this.network.round_trip_ms / 2, () => !to.destroyed && to.write(part));
      }
    });
    from.on('end', () => later(performance.now() + this.network.round_trip_ms / 2, () => to.end()));
    from.on('error', () => to.destroy());
    from.on('close', () => this.#sockets.delete(from));
  }
}
