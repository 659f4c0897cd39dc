import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';

const PAGE = new URL('../', import.meta.url);

/** @param {string} name */
const read = (name) => readFile(new URL(name, PAGE), 'utf8');

/** The files below `assets/`, with their folders. */
const ASSETS = (await readdir(new URL('assets/', PAGE), { recursive: true })).map((name) => name.replaceAll('\\', '/'));
const PAGES = ['index.html', 'operator.html'];

test('the lock file names no registry', async () => {
  assert.equal((await read('package-lock.json')).includes('"resolved"'), false);
});

test('the page has no inline code or style, and the content policy can forbid both', async () => {
  for (const page of PAGES) inspect(await read(page));
});

/** @param {string} html */
function inspect(html) {
  assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|javascript:|data:/i);
  for (const [whole] of html.matchAll(/<script[^>]*>[^]*?<\/script>/g))
    assert.match(whole, /src="assets\/[\w-]+\.js"><\/script>$/);
}

test('modules build no markup from text, evaluate no code and contact no other origin', async () => {
  const modules = ASSETS.filter((name) => name.endsWith('.js'));
  assert.ok(modules.length > 0);
  for (const name of modules) {
    const code = await read(`assets/${name}`);
    assert.doesNotMatch(code, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/, name);
    for (const [, from] of code.matchAll(/^(?:import|export)[^'"]*from ['"]([^'"]+)['"]/gm)) {
      assert.match(String(from), /^\.{1,2}\/(?:[\w-]+\/)?[\w-]+\.js$/, `${name} imports ${from}`);
    }
    assert.doesNotMatch(code, /https?:\/\//, name);
  }
});

test('everything that the page and its modules request is in the folder', async () => {
  const assets = new Set(ASSETS);
  const html = (await Promise.all(PAGES.map(read))).join('\n');
  for (const [, name] of html.matchAll(/"assets\/([^"]+)"/g)) assert.ok(assets.has(String(name)), name);
  for (const module of [...assets].filter((name) => name.endsWith('.js'))) {
    for (const [, name] of (await read(`assets/${module}`)).matchAll(
      /^(?:import|export)[^'"]*from ['"](\.[^'"]+)['"]/gm,
    )) {
      const path = new URL(String(name), `file:///${module}`).pathname.slice(1);
      assert.ok(assets.has(path), `${module} imports ${name}`);
    }
  }
});
