// A server in memory that implements docs/reference/protocol.md, for the page's tests and for trying the page by hand.

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { joined, styles, withOneSheet } from './joined.js';
import { Session, asideScreen, closedScreen, consentScreen, isPreview, previewScreen } from './session.js';

/**
 * @import { IncomingMessage, ServerResponse } from "node:http"
 * @import { OperatorSide } from "./operator.js"
 */

const FOLDER = fileURLToPath(new URL('../../', import.meta.url));
const SPOKEN = ['en', 'de', 'es', 'zh', 'ar'];
const TYPES = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json'],
  ['.svg', 'image/svg+xml'],
]);
const [HTML, SCRIPT, SHEET] = ['text/html; charset=utf-8', 'text/javascript; charset=utf-8', 'text/css; charset=utf-8'];
/** Files that are made of others, by their paths. @type {Map<string, { type: string, text: () => string }>} */
const PARTS = new Map([
  // The study of this server names no address to write to.
  ['', { type: HTML, text: () => withOneSheet('index.html', 'assets/main.css').replaceAll('{contact}', '') }],
  ['assets/main.js', { type: SCRIPT, text: () => joined('assets/main.js') }],
  ['assets/main.css', { type: SHEET, text: () => styles('index.html') }],
  ['operator', { type: HTML, text: () => withOneSheet('operator.html', 'assets/operator.css') }],
  ['assets/operator.js', { type: SCRIPT, text: () => joined('assets/operator.js') }],
  ['assets/operator.css', { type: SHEET, text: () => styles('operator.html') }],
]);
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src blob:; connect-src 'self'; base-uri 'none'";
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': `${POLICY}; form-action 'none'; frame-ancestors 'none'`,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/**
 * How the server misbehaves: it responds late, drops connections, or refuses the next requests of an action.
 * @typedef {object} Mode
 * @property {number} slow_ms
 * @property {boolean} offline
 * @property {{ action: string, status: number, code: string, retry_after?: number }[]} faults
 * @property {string} [panel] the origin that may show the page in frames, and to which sessions are handed in
 */

/** A running mock server. */
export class Mock {
  /** @type {Mode} */
  mode = { slow_ms: 0, offline: false, faults: [] };
  /** The operator's page, in tests that look at it. @type {OperatorSide | null} */
  operator = null;
  /** Sessions by their cookie. @type {Map<string, Session>} */
  sessions = new Map();
  #server = createServer((request, response) => {
    this.#serve(request, response).catch((error) => {
      response.writeHead(500, HEADERS).end(JSON.stringify({ error: { code: 'bug', message: String(error) } }));
    });
  });
  url = '';

  /** @param {number} [port] 0 for any that is free */
  async start(port = 0) {
    await new Promise((resolve) => this.#server.listen(port, '127.0.0.1', () => resolve(undefined)));
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the server has no port');
    this.url = `http://127.0.0.1:${address.port}/study/`;
    return this;
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The session that began last. */
  get last() {
    const session = [...this.sessions.values()].at(-1);
    if (session === undefined) throw new Error('no session has begun');
    return session;
  }

  /** @param {IncomingMessage} request @param {ServerResponse} response */
  async #serve(request, response) {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const inside = /^\/study\/(.*)$/.exec(path)?.[1];
    if (inside === undefined) return void response.writeHead(404, HEADERS).end();
    if (this.mode.offline) return void request.socket.destroy();
    if (this.mode.slow_ms > 0) await new Promise((resolve) => setTimeout(resolve, this.mode.slow_ms));
    if (request.method === 'POST' && inside.startsWith('api/')) return this.#act(inside.slice(4), request, response);
    if (this.operator?.takes(inside)) return this.operator.serve(inside, request, response);
    if (inside.startsWith('image/')) return this.#image(inside.slice(6), request, response);
    const made = PARTS.get(inside);
    if (made === undefined) return this.#file(inside, response);
    response.writeHead(200, { ...HEADERS, ...this.#framing(), 'content-type': made.type }).end(made.text());
  }

  /** @param {string} name @param {ServerResponse} response */
  async #file(name, response) {
    const safe = normalize(name);
    const type = TYPES.get(extname(safe));
    const content = safe.startsWith('assets/') && type ? await readFile(join(FOLDER, safe)).catch(() => null) : null;
    if (content === null) return void response.writeHead(404, HEADERS).end();
    response.writeHead(200, { ...HEADERS, 'content-type': type }).end(content);
  }

  /** The headers by which a panel may show the page in frames. */
  #framing() {
    const { panel } = this.mode;
    if (panel === undefined) return {};
    return { 'content-security-policy': `${POLICY}; form-action ${panel}; frame-ancestors ${panel}` };
  }

  /** @param {string} token @param {IncomingMessage} request @param {ServerResponse} response */
  #image(token, request, response) {
    const found = this.#session(request)?.images.get(token);
    if (found === undefined) return this.#fault(response, 404, 'no-such-image', 'not of this block');
    const { type, bytes } = found;
    response.writeHead(200, { ...HEADERS, 'content-type': type, 'content-length': bytes.length }).end(bytes);
  }

  /** @param {IncomingMessage} request */
  #session(request) {
    const cookie = /(?:^|; )hype=([0-9a-f]+)/.exec(request.headers.cookie ?? '')?.[1];
    return cookie === undefined ? undefined : this.sessions.get(cookie);
  }

  /** @param {string} action @param {IncomingMessage} request @param {ServerResponse} response */
  async #act(action, request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const at = this.mode.faults.findIndex((fault) => fault.action === action);
    const [fault] = at === -1 ? [] : this.mode.faults.splice(at, 1);
    if (fault) return this.#fault(response, fault.status, fault.code, 'on purpose', fault.retry_after);
    if (!/^[0-9a-f]{32}$/.test(String(body.tab))) return this.#fault(response, 400, 'bad-request', 'no tab');
    const session = this.#session(request);
    if (action === 'open') return this.#open(session, body, response);
    if (action === 'consent') {
      const cookie = randomBytes(16).toString('hex');
      const begun = new Session(body.tab, body.language, body.arrival);
      this.sessions.set(cookie, begun);
      response.setHeader('set-cookie', `hype=${cookie}; Path=/study/; HttpOnly; SameSite=Lax`);
      return this.#answer(response, begun.screen());
    }
    if (session === undefined) return this.#fault(response, 401, 'no-session', 'no cookie');
    if (session.tab !== body.tab) return this.#fault(response, 409, 'taken-over', 'another tab has the session');
    if (action === 'begin') {
      session.environment = body.environment;
      session.begin();
      return this.#answer(response, session.screen());
    }
    if (action === 'wait') return this.#answer(response, session.screen());
    if (action === 'leave') {
      session.at = 'left';
      return this.#answer(response, session.screen());
    }
    if (action !== 'answer' && action !== 'disturbed')
      return this.#fault(response, 400, 'bad-request', 'no such action');
    const receipt = session.report(action, body);
    if ('fault' in receipt) return this.#fault(response, ...receipt.fault);
    this.#answer(response, receipt);
  }

  /** @param {Session | undefined} session @param {any} body @param {ServerResponse} response */
  #open(session, body, response) {
    const spoken = SPOKEN.find((one) => String(body.language).toLowerCase().startsWith(one)) ?? 'en';
    const arrival = body.arrival ?? {};
    if (isPreview(arrival)) return this.#answer(response, previewScreen(spoken, arrival));
    if (body.shown === 'aside' || (body.shown === 'frame' && arrival.study !== 'untimed')) {
      const own = [...this.sessions.values()].find((one) => one.arrival['workerId'] === arrival.workerId);
      const screen = own?.isOver ? own.screen() : asideScreen(spoken, own === undefined ? 'none' : 'open');
      return this.#answer(response, screen);
    }
    if (session !== undefined) {
      session.tab = body.tab;
      return this.#answer(response, session.screen());
    }
    const { closed } = arrival;
    this.#answer(response, closed ? closedScreen(spoken, closed) : consentScreen(spoken, arrival));
  }

  /** @param {ServerResponse} response @param {unknown} content */
  #answer(response, content) {
    response.writeHead(200, { ...HEADERS, 'content-type': 'application/json' }).end(JSON.stringify(content));
  }

  /** @param {ServerResponse} response @param {number} status @param {string} code @param {string} message @param {number} [after] seconds */
  #fault(response, status, code, message, after) {
    const retry = after === undefined ? {} : { 'retry-after': String(after) };
    const headers = { ...HEADERS, ...retry, 'content-type': 'application/json' };
    response.writeHead(status, headers).end(JSON.stringify({ error: { code, message } }));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const mock = await new Mock().start(Number(process.env['PORT'] ?? 8731));
  console.log(`the rater page is at ${mock.url}?study=all (or untimed, timed)`);
}
