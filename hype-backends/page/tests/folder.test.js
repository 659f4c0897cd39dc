import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';

const PAGE = new URL('../', import.meta.url);

/** @param {string} name */
const read = (name) => readFile(new URL(name, PAGE), 'utf8');

test('the lock file names no registry', async () => {
  assert.equal((await read('package-lock.json')).includes('"resolved"'), false);
});

test('the page has no inline code or style, so that the content policy can forbid both', async () => {
  const html = await read('index.html');
  assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|javascript:|data:/i);
  for (const [whole] of html.matchAll(/<script[^>]*>[^]*?<\/script>/g))
    assert.match(whole, /src="assets\/[\w-]+\.js"><\/script>$/);
});

test('modules build no markup from text, evaluate no code and contact no other origin', async () => {
  const modules = (await readdir(new URL('assets/', PAGE))).filter((name) => name.endsWith('.js'));
  assert.ok(modules.length > 0);
  for (const name of modules) {
    const code = await read(`assets/${name}`);
    assert.doesNotMatch(code, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/, name);
    for (const [, from] of code.matchAll(/^(?:import|export)[^'"]*from ['"]([^'"]+)['"]/gm)) {
      assert.match(String(from), /^\.\/[\w-]+\.js$/, `${name} imports ${from}`);
    }
    assert.doesNotMatch(code, /https?:\/\//, name);
  }
});

test('everything that the page and its modules request is in the folder', async () => {
  const assets = new Set(await readdir(new URL('assets/', PAGE)));
  const html = await read('index.html');
  for (const [, name] of html.matchAll(/"assets\/([^"]+)"/g)) assert.ok(assets.has(String(name)), name);
  for (const module of [...assets].filter((name) => name.endsWith('.js'))) {
    for (const [, name] of (await read(`assets/${module}`)).matchAll(/from ['"]\.\/([\w-]+\.js)['"]/g)) {
      assert.ok(assets.has(String(name)), `${module} imports ${name}`);
    }
  }
});
