/** Serves the pages of the comparison and their flat images, on this machine alone. */

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

import { flat } from './png.js';
import { GREY, colour } from './trials.js';

/** @typedef {"presenter" | "jspsych"} PageName */

const SIZE = 256;

/** Both pages get the fine-grained clock of isolated pages; inline styles are jsPsych's own. */
const HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'content-security-policy': "default-src 'self'; style-src 'self' 'unsafe-inline'",
  'cache-control': 'no-store',
};

/** The cache that jsPsych's preloading needs. */
const IMAGE_HEADERS = { ...HEADERS, 'cache-control': 'max-age=3600', 'content-type': 'image/png' };

const BODIES = {
  presenter:
    '<canvas id="canvas"></canvas><script type="module" src="pages/busy.js"></script><script type="module" src="pages/presenter.js"></script>',
  jspsych: [
    '<link rel="stylesheet" href="package/jspsych/css/jspsych.css"><link rel="stylesheet" href="pages/page.css"><div id="target"></div>',
    ...[
      'jspsych',
      '@jspsych/plugin-preload',
      '@jspsych/plugin-image-keyboard-response',
      '@jspsych/plugin-html-keyboard-response',
    ].map((name) => `<script src="package/${name}/dist/index.browser.min.js"></script>`),
    '<script type="module" src="pages/busy.js"></script><script type="module" src="pages/jspsych.js"></script>',
  ].join(''),
};

/** @param {string} path */
const type = (path) => (path.endsWith('.css') ? 'text/css' : 'text/javascript');

const require = createRequire(import.meta.url);

/**
 * The file behind an address, among the few folders that are served.
 * @param {string} path
 * @returns {URL | null}
 */
function file(path) {
  if (path.includes('..')) return null;
  if (path.startsWith('assets/')) return new URL(`../${path}`, import.meta.url);
  if (path.startsWith('pages/')) return new URL(path, import.meta.url);
  const found = /^package\/((?:@jspsych\/)?[a-z-]+)\/((?:dist|css)\/[a-z.]+)$/.exec(path);
  if (found === null) return null;
  const main = require.resolve(`${found[1]}`);
  return new URL(`${new URL(`file://${main}`).href.replace(/dist\/[^/]*$/, '')}${found[2]}`);
}

/**
 * @param {string} path
 * @returns {Promise<{ headers: Record<string, string>, body: string | Buffer } | null>}
 */
async function answer(path) {
  if (path === 'presenter' || path === 'jspsych') {
    const body = `<!doctype html><html lang="en"><title>timing</title><link rel="stylesheet" href="pages/page.css"><body>${BODIES[path]}</body></html>`;
    return { headers: { ...HEADERS, 'content-type': 'text/html' }, body };
  }
  if (path.startsWith('image/')) {
    const name = path.slice('image/'.length);
    return { headers: IMAGE_HEADERS, body: flat(SIZE, SIZE, name === 'grey' ? GREY : colour(name)) };
  }
  const found = file(path);
  return found === null ? null : { headers: { ...HEADERS, 'content-type': type(path) }, body: await readFile(found) };
}

/** @returns {Promise<{ origin: string, close: () => Promise<void> }>} */
export async function serve() {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname.slice(1);
    answer(path)
      .catch(() => null)
      .then((found) => {
        response.writeHead(found === null ? 404 : 200, found?.headers ?? HEADERS);
        response.end(found?.body);
      });
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
