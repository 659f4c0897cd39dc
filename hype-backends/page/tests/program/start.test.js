// The page starts in both browsers: on a slow line, when its module does not arrive, and when the browser refuses what it needs.

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Person } from '../browser/person.js';
import { Raters, arriveAt, faultsOf, visit } from '../browser/raters.js';
import { Distant } from './distant.js';
import { OwnBrowser } from './own-browser.js';
import { testInProof } from '../size.js';
import { built } from './program.js';
import { setting } from './setting.js';
import { likert } from './studies.js';

/** @import { Page } from "playwright-core" */

const ALONE = { ...likert, raters: { per_item: 1 } };
const PAGE = { contact: 'lab@example.org' };

/** A line of 400 kbit/s. */
const SLOW = { round_trip_ms: 400, bytes_per_second: 50_000 };

/** The words that a page shows. @param {Page} page */
const words = (page) => page.locator('main').innerText();

describe('the page starts', { ...built, concurrency: 2 }, () => {
  const here = setting();
  /** @type {Raters[]} */
  const others = [];
  after(async () => {
    for (const one of others) await one.close();
  });

  /** @param {Record<string, string | number | boolean>} [preferences] */
  async function inFirefox(preferences) {
    const raters = await Raters.openFirefox(preferences);
    others.push(raters);
    return raters;
  }

  test('with few bytes, each asked for once, and its first words in the document', async (t) => {
    const program = await here.studies.serve(ALONE, PAGE);
    const distant = new Distant(program.raters, SLOW);
    const address = await distant.start();
    try {
      const page = await here.raters.rater('about:blank', { locale: 'de-AT' });
      /** @type {string[]} */
      const asked = [];
      let bytes = 0;
      page.on('requestfinished', async (request) => {
        asked.push(new URL(request.url()).pathname);
        bytes += (await request.sizes()).responseBodySize;
      });
      const from = performance.now();
      await page.goto(address, { waitUntil: 'commit' });
      await page.getByText('Einen Moment …').first().waitFor();
      const first = performance.now() - from;
      await arriveAt(page, 'consent');
      const consent = performance.now() - from;
      await page.waitForLoadState('networkidle');
      t.diagnostic(
        `${asked.length} requests, ${bytes} bytes, first words after ${first.toFixed(0)} ms, consent after ${consent.toFixed(0)} ms`,
      );
      assert.equal(new Set(asked).size, asked.length, asked.join(' '));
      assert.ok(asked.length <= 5, asked.join(' '));
      assert.ok(bytes < 120_000, String(bytes));
      assert.deepEqual(faultsOf(page), []);
    } finally {
      await distant.stop();
    }
  });

  test('when its module does not arrive at first', async () => {
    const program = await here.studies.serve(ALONE, PAGE);
    const page = await here.raters.rater('about:blank');
    let lost = 0;
    await page.route(/main-[0-9a-f]+\.js/, (route) => (lost++ < 2 ? route.abort() : route.continue()));
    await visit(page, program.raters);
    await arriveAt(page, 'consent');
    assert.equal(lost, 3);
  });

  test('and shows the address to write to when its module never arrives', async () => {
    const program = await here.studies.serve(ALONE, PAGE);
    const page = await here.raters.rater('about:blank');
    await page.route(/main-[0-9a-f]+\.js/, (route) => route.abort());
    await visit(page, program.raters);
    await page.getByText('lab@example.org').waitFor();
    assert.match(await words(page), /The page has not loaded\. Check your connection/);
  });

  test('without a database, a channel between tabs, and a memory for them', async () => {
    const program = await here.studies.serve(ALONE, PAGE);
    const page = await here.raters.rater('about:blank');
    await page.addInitScript(() => {
      const refuse = () => {
        throw new DOMException('The operation is insecure.', 'SecurityError');
      };
      for (const name of ['indexedDB', 'sessionStorage', 'BroadcastChannel', 'Worker']) {
        Object.defineProperty(window, name, { get: refuse });
      }
    });
    await visit(page, program.raters);
    const person = new Person(page);
    await person.begin();
    await person.playToEnd();
    const { code, said } = await program.ended();
    assert.equal(code, 0, said);
    assert.deepEqual(faultsOf(page), []);
  });

  test('in Chromium that blocks cookies with words, and without a session', async () => {
    const program = await here.studies.serve(ALONE, PAGE);
    const profile = await mkdtemp(join(tmpdir(), 'hype-cookies-'));
    await mkdir(join(profile, 'Default'));
    const settings = { profile: { default_content_setting_values: { cookies: 2 } } };
    await writeFile(join(profile, 'Default', 'Preferences'), JSON.stringify(settings));
    const browser = await OwnBrowser.start(profile);
    try {
      await visit(browser.page, program.raters);
      await browser.page.getByText('keeps no cookies').waitFor();
      assert.match(await words(browser.page), /write to lab@example\.org/);
      assert.deepEqual(await program.log(), []);
    } finally {
      await browser.kill();
      await rm(profile, { recursive: true, force: true });
    }
  });

  test('in Firefox that blocks cookies with words, and without a session', async () => {
    const program = await here.studies.serve(ALONE, PAGE);
    const raters = await inFirefox({ 'network.cookie.cookieBehavior': 2 });
    const page = await raters.rater(program.raters);
    await page.getByText('keeps no cookies').waitFor();
    assert.match(await words(page), /write to lab@example\.org/);
    assert.deepEqual(await program.log(), []);
  });

  // In `./test` screens.test.js does.
  testInProof('in Firefox, where a session is rated to its end', async () => {
    const program = await here.studies.serve(ALONE, PAGE);
    const raters = await inFirefox();
    const page = await raters.rater(program.raters);
    const person = new Person(page);
    await person.begin();
    await person.playToEnd();
    const { code, said } = await program.ended();
    assert.equal(code, 0, said);
  });
});
