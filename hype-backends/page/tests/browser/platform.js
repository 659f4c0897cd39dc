// A platform that shows the page in a frame, and takes what is handed in.

import { createServer } from 'node:http';

/** A running platform. */
export class Platform {
  /** The address of the page in the frame. */
  task = '';
  /** The forms that were handed in. @type {Record<string, string>[]} */
  handedIn = [];
  origin = '';
  #server = createServer((request, response) => {
    if (request.method === 'POST') {
      const chunks = /** @type {Buffer[]} */ ([]);
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        this.handedIn.push(Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString('utf8'))));
        response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Taken</title><p>Taken</p>');
      });
      return;
    }
    const task = this.task.replaceAll('&', '&amp;');
    const frame = `<iframe title="Task" width="1200" height="700" src="${task}"></iframe>`;
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<!doctype html><html lang="en"><title>Platform</title><main><h1>Platform</h1>${frame}</main></html>`);
  });

  async start() {
    await new Promise((resolve) => this.#server.listen(0, '127.0.0.1', () => resolve(undefined)));
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the platform has no port');
    this.origin = `http://127.0.0.1:${address.port}`;
    return this;
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
