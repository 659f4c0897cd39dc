// The state of the study as it changes: server-sent events, read with fetch because they need a header. Where a proxy does not
// pass events on, the page asks for the state instead.

/**
 * @import { Status } from "../../page.js"
 */

/** A server without news says so every ten seconds. */
const SILENT_MS = 30_000;
/** The first event comes at once, unless something on the way keeps it. */
const FIRST_MS = 8_000;
const POLL_MS = 2_000;
/** How long polling lasts before the page tries events again. */
const POLLING_MS = 60_000;
const RETRY_MS = 1_000;
const RETRY_AT_MOST_MS = 15_000;

/**
 * Splits a stream's text into events.
 * @returns {(text: string) => { name: string, data: string }[]} takes the next text, and returns the events that are complete
 */
export function splitter() {
  let rest = '';
  return (text) => {
    rest += text;
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const fields = block.split('\n').map((line) => [line.split(':', 1)[0], line.replace(/^[^:]*: ?/, '')]);
      const data = fields.filter(([name]) => name === 'data').map(([, value]) => value);
      const name = fields.find(([field]) => field === 'event')?.[1] ?? 'message';
      return data.length > 0 ? [{ name, data: data.join('\n') }] : [];
    });
  };
}

/** The pause before the next attempt. @param {number} failures */
export const pause = (failures) => Math.min(RETRY_MS * 2 ** Math.max(0, failures - 1), RETRY_AT_MOST_MS);

/**
 * @typedef {object} Listener
 * @property {(status: Status) => void} status a new state
 * @property {() => void} reached the server has answered
 * @property {() => void} refused the key is wrong; nothing follows
 */

/**
 * @typedef {object} Outside
 * @property {(path: string, signal: AbortSignal) => Promise<Response>} ask
 * @property {(ms: number) => Promise<unknown>} sleep
 * @property {() => number} now in milliseconds
 */

/**
 * Follows the study until the key is refused.
 * @param {Listener} listener
 * @param {Outside} outside
 */
export async function follow(listener, outside) {
  let failures = 0;
  for (;;) {
    const came = await events(listener, outside);
    if (came === 'refused') return listener.refused();
    failures = came === 'some' ? 0 : failures + 1;
    // Without a single event, the connection may be the reason.
    if (came !== 'some' && (await poll(listener, outside)) === 'refused') return listener.refused();
    await outside.sleep(pause(failures));
  }
}

/**
 * Reads events until the connection ends or falls silent.
 * @param {Listener} listener
 * @param {Outside} outside
 * @returns {Promise<"some" | "none" | "refused">}
 */
async function events(listener, outside) {
  const stop = new AbortController();
  let some = false;
  let timer = setTimeout(() => stop.abort(), FIRST_MS);
  try {
    const response = await outside.ask('operator/events', stop.signal);
    if (response.status === 401) return 'refused';
    if (!response.ok || response.body === null) return 'none';
    const split = splitter();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      clearTimeout(timer);
      timer = setTimeout(() => stop.abort(), SILENT_MS);
      some = true;
      listener.reached();
      for (const { name, data } of split(value)) {
        if (name === 'status') listener.status(JSON.parse(data));
      }
    }
  } catch {
    // The server cannot be reached, or has fallen silent.
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
  return some ? 'some' : 'none';
}

/**
 * Asks for the state for a while, until the server cannot be reached.
 * @param {Listener} listener
 * @param {Outside} outside
 * @returns {Promise<"over" | "refused">}
 */
async function poll(listener, outside) {
  const until = outside.now() + POLLING_MS;
  while (outside.now() < until) {
    try {
      const response = await outside.ask('operator/status', AbortSignal.timeout(FIRST_MS));
      if (response.status === 401) return 'refused';
      if (!response.ok) return 'over';
      const status = await response.json();
      listener.reached();
      listener.status(status);
    } catch {
      return 'over';
    }
    await outside.sleep(POLL_MS);
  }
  return 'over';
}
