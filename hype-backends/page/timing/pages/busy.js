/** Keeps the main thread busy for 25 ms in every 43, as a heavy page or an extension would. */

const BUSY_MS = 25;
const REST_MS = 18;

function work() {
  const until = performance.now() + BUSY_MS;
  while (performance.now() < until);
  setTimeout(work, REST_MS);
}

if (new URLSearchParams(location.search).get('load') === 'busy') work();
