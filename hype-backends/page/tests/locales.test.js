import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { LANGUAGES, Language, direction, negotiate } from '../assets/i18n.js';

const ASSETS = new URL('../assets/', import.meta.url);

/** @param {string} tag @returns {Promise<import('../assets/i18n.js').Texts>} */
async function texts(tag) {
  return JSON.parse(await readFile(new URL(`locale/${tag}.json`, ASSETS), 'utf8'));
}

/** @param {string} text */
const placeholders = (text) => [...text.matchAll(/\{(\w+)\}/g)].map((found) => found[1]).sort();

const english = await texts('en');

test('every language has a file and every file a language', async () => {
  const files = (await readdir(new URL('locale/', ASSETS))).sort();
  assert.deepEqual(files, [...LANGUAGES].map((tag) => `${tag}.json`).sort());
});

for (const tag of LANGUAGES) {
  test(`${tag}: the same keys as English, none empty, the same placeholders`, async () => {
    const own = await texts(tag);
    assert.deepEqual(Object.keys(own).sort(), Object.keys(english).sort());
    for (const [key, entry] of Object.entries(own)) {
      const original = english[key] ?? '';
      assert.equal(typeof entry, typeof original, key);
      const forms = typeof entry === 'string' ? { other: entry } : entry;
      const wanted = placeholders(typeof original === 'string' ? original : (original['other'] ?? ''));
      for (const [form, text] of Object.entries(forms)) {
        assert.notEqual(text.trim(), '', `${key} ${form}`);
        // Plural forms for a single number may spell it out.
        const spelled = ['zero', 'one', 'two'].includes(form);
        if (!spelled) assert.deepEqual(placeholders(text), wanted, `${key} ${form}`);
      }
    }
  });

  test(`${tag}: every plural form that the language has`, async () => {
    const wanted = new Intl.PluralRules(tag).resolvedOptions().pluralCategories.sort();
    for (const [key, entry] of Object.entries(await texts(tag))) {
      if (typeof entry !== 'string') assert.deepEqual(Object.keys(entry).sort(), wanted, key);
    }
  });

  test(`${tag}: no text is left in English`, async () => {
    if (tag === 'en') return;
    const same = Object.entries(await texts(tag)).filter(
      ([key, entry]) => typeof entry === 'string' && entry === english[key],
    );
    // German says "Start" and "Text", too.
    assert.deepEqual(
      same.map(([key]) => key),
      tag === 'de' ? ['ready.start', 'text.alone', 'text.named'] : [],
    );
  });
}

test('every key that the modules use exists, and every existing key is used', async () => {
  const modules = (await readdir(ASSETS)).filter((name) => name.endsWith('.js'));
  const files = [...modules, '../index.html'];
  const code = (await Promise.all(files.map((name) => readFile(new URL(name, ASSETS), 'utf8')))).join('\n');
  const keys = Object.keys(english);
  const literal = [...code.matchAll(/(?:text|needs|title)\((?:[^()]*?\? )?["']([a-z-]+\.[a-z-]+)["']/g)].map((found) =>
    String(found[1]),
  );
  for (const key of literal) assert.ok(key in english, key);
  const composed = [...code.matchAll(/`([a-z-]+)\.\$\{[^}]+\}(-text)?`/g)].map((found) => [
    String(found[1]),
    found[2] ?? '',
  ]);
  for (const key of keys) {
    const used =
      code.includes(`"${key}"`) ||
      code.includes(`'${key}'`) ||
      composed.some(([head, tail]) => key.startsWith(`${head}.`) && key.endsWith(tail ?? ''));
    assert.ok(used, `no module uses ${key}`);
  }
});

test('the language is negotiated by whole tag, then by its first part, then English', () => {
  assert.equal(negotiate(['de-AT']), 'de');
  assert.equal(negotiate(['ZH-hant-TW']), 'zh');
  assert.equal(negotiate(['fr', 'es-MX']), 'es');
  assert.equal(negotiate(['fr', 'pt']), 'en');
  assert.equal(negotiate([]), 'en');
  assert.equal(negotiate(['pt-BR'], ['pt', 'pt-BR']), 'pt-BR');
});

test('Arabic runs from right to left, the others from left to right', () => {
  assert.deepEqual(LANGUAGES.map(direction), ['ltr', 'ltr', 'ltr', 'ltr', 'rtl']);
});

test('numbers, money and plurals are written as each language does', async () => {
  const [en, de, ar] = await Promise.all(['en', 'de', 'ar'].map(async (tag) => new Language(tag, await texts(tag))));
  assert.equal(en?.money('1.5', 'USD'), '$1.50');
  assert.equal(de?.money('1.5', 'EUR'), '1,50\u00a0€');
  assert.equal(en?.money('3', 'points'), '3 points');
  assert.equal(en?.text('consent.minutes', { count: 1 }), 'Takes about 1 minute');
  assert.equal(en?.text('consent.minutes', { count: 12 }), 'Takes about 12 minutes');
  assert.equal(ar?.text('consent.minutes', { count: 2 }), 'تستغرق نحو دقيقتين');
  assert.equal(de?.text('progress.count', { number: 1234, all: 5500 }), '1.234 von bis zu 5.500');
  assert.equal(en?.clock(65_000), '1:05');
  assert.equal(de?.nameOf('de'), 'Deutsch');
  assert.throws(() => en?.text('no.such'), /no text for no.such/);
});

test('the words of the document are the English ones', async () => {
  const html = await readFile(new URL('../index.html', ASSETS), 'utf8');
  const words = [...html.matchAll(/data-text="([^"]+)">([^<]+)</g)];
  assert.equal(words.length, 4);
  for (const [, key, text] of words) assert.equal(english[String(key)], text);
});
