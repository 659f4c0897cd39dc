// Files that the page asks for: however long one takes, it is given up only when nothing arrives any more.

/** How long nothing may arrive until what is on its way is given up, in milliseconds. */
const SILENCE = 60_000;

/** What puts off the end of each file that is on its way. @type {Set<() => void>} */
const underway = new Set();

/**
 * Asks for a file. Files wait for one another where a browser opens only a few connections: while any of them arrives, none is
 * given up.
 * @param {string | URL} address
 * @param {AbortSignal} signal
 * @param {(share: number) => void} [arrived] how much of it there is
 * @returns {Promise<Response>} with its whole content
 */
export async function download(address, signal, arrived = () => {}) {
  signal.throwIfAborted();
  const end = new AbortController();
  const stop = () => end.abort();
  let timer = setTimeout(stop, SILENCE);
  const putOff = () => {
    clearTimeout(timer);
    timer = setTimeout(stop, SILENCE);
  };
  underway.add(putOff);
  signal.addEventListener('abort', stop);
  try {
    const answer = await fetch(address, { signal: end.signal, cache: 'no-store' });
    const length = Number(answer.headers.get('content-length'));
    let bytes = 0;
    arrived(0);
    const counted = new TransformStream({
      transform(/** @type {Uint8Array} */ part, rest) {
        for (const one of underway) one();
        bytes += part.length;
        // Nobody knows the length of what is compressed on its way.
        arrived(length > 0 ? Math.min(1, bytes / length) : 0);
        rest.enqueue(part);
      },
    });
    const content = await new Response(answer.body?.pipeThrough(counted), answer).blob();
    arrived(1);
    return new Response(content, answer);
  } finally {
    clearTimeout(timer);
    underway.delete(putOff);
    signal.removeEventListener('abort', stop);
  }
}
