// Trials of texts, in Chromium and in Firefox.

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { better, played, quality, text } from '../mock/clips.js';
import { Mock } from '../mock/server.js';
import { offer } from '../mock/study.js';
import { BROWSERS, LOCALES, sized } from '../size.js';
import { examine } from './axe.js';
import { Bench } from './bench.js';
import { Person } from './person.js';
import { ON_A_PHONE, Raters, faultsOf, hide, isTooWide } from './raters.js';

/**
 * @import { BrowserContextOptions, Page } from "playwright-core"
 * @import { AnswerBody, ScreenPart } from "../../page.js"
 */

const LONG = `<h1>Tides</h1>${'<p>The sea rises and falls <strong>twice</strong> a day, by the moon and the sun.</p>'.repeat(60)}`;
const SHORT = '<p>The moon <em>pulls</em> the sea.</p><ul><li>High</li><li>Low</li></ul>';
const RIGHT_TO_LEFT = '<p>يرتفع البحر وينخفض مرتين في اليوم.</p><ol start="3"><li>أول</li></ol>';

/** Things that a text must not bring, and what it may. */
const HOSTILE = `<p onclick="alert(1)" style="color:red" class="primary" id="main">kept <a href="javascript:alert(1)">link</a></p>
<script>window.hacked = true</script><style>body { display: none }</style><img src=x onerror="window.hacked = true">
<svg onload="window.hacked = true"><script>window.hacked = true</script><foreignObject><p>in a drawing</p></foreignObject></svg>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.hacked=true&gt;"></mglyph></table></mtext></math>
<iframe srcdoc="<script>parent.hacked = true</script>"></iframe><form action="/x"><input name=a autofocus onfocus="window.hacked=true"><button>b</button></form>
<template><p>never</p></template><noscript><p title="</noscript><img src=x onerror=window.hacked=true>">no</p></noscript>
<meta http-equiv="refresh" content="0;url=/gone"><base href="/elsewhere/"><link rel=stylesheet href="/x.css"><object data="/x"></object><embed src="/x">
<video src="/x" autoplay onloadstart="window.hacked=true"></video><details open ontoggle="window.hacked=true"><summary>s</summary>open</details>
<table><tr><td align="center" onmouseover="window.hacked=true" background="/x">cell</td><th align="expression(1)">head</th></tr></table>
<ol start="5"><li>five</li></ol><ol start="javascript:1"><li>one</li></ol><h1 is="x-hacked">title</h1><custom-element>custom</custom-element><p><del>del</del><br><code>x &lt; y</code></p><hr>`;

/** The elements that a text may bring. */
const ALLOWED = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol li em strong code pre blockquote table thead tbody tr th td br hr del'.split(' '),
);

/** @type {ScreenPart} */
const PROMPT = { part: 'condition', kind: 'prompt', label: null, image: null, text: 'Why are there tides?' };

offer('pair', [played([text(LONG), text(SHORT)], [better('text')], {}, [PROMPT])]);
offer('one', [played([text(RIGHT_TO_LEFT)], [quality('text')])]);
offer('three', [played([text(SHORT), text(SHORT), text(SHORT)], [better('text')], { finish: 0 })]);
offer('marks', [
  played(
    [text('<pre><code>One two three.\nFour 😀 five.\n</code></pre>')],
    [quality('text'), { ...quality('text'), id: 'wrong', form: { marks: { at_most: 2 } }, required: false }],
  ),
]);
offer('hostile', [
  played([text(HOSTILE), text('<p>'.repeat(5000) + 'deep' + '<ul><li>'.repeat(3000))], [better('text')]),
]);

/** What the last answer says of its texts. @param {Bench} bench */
function readIn(bench) {
  const body = /** @type {AnswerBody} */ (bench.mock.last.taken.at(-1)?.body);
  assert.ok(body.played !== undefined, 'an answer without what was read');
  return body.played;
}

/** Reads a text to its end. @param {Page} page @param {number} which */
async function read(page, which) {
  await page
    .locator('.text')
    .nth(which)
    .evaluate(async (box) => {
      while (box.scrollTop + box.clientHeight < box.scrollHeight - 1) {
        box.scrollTop += box.clientHeight / 2;
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      }
    });
}

/** Whether the form is open. @param {Page} page */
const isOpen = (page) => page.evaluate(() => document.querySelector('.trial[data-ready]') !== null);

for (const browser of BROWSERS) {
  describe(`texts in ${browser}`, () => {
    /** @type {Bench} */
    let bench;
    before(async () => {
      bench =
        browser === 'chromium' ? await Bench.open() : new Bench(await Raters.openFirefox(), await new Mock().start());
    });
    afterEach(() => bench.leave());
    after(() => bench.close());

    /** @param {string} study @param {BrowserContextOptions} [options] */
    async function at(study, options = {}) {
      const page = await bench.rater({ study }, options);
      const person = new Person(page, options.hasTouch ? 'touch' : 'mouse');
      await person.begin();
      await page.locator('.reading').waitFor();
      return { page, person };
    }

    test('side by side, answers wait until both ends were in view, and the log says what was', async () => {
      const { page, person } = await at('pair', { viewport: { width: 1366, height: 625 } });
      const boxes = await page.locator('.text').evaluateAll((all) =>
        all.map((one) => {
          const { fontSize, lineHeight } = getComputedStyle(one);
          const { width, height, top } = one.getBoundingClientRect();
          return [fontSize, lineHeight, width, height, top].join(' ');
        }),
      );
      assert.equal(boxes.length, 2);
      assert.equal(boxes[0], boxes[1]);
      await page.waitForTimeout(400);
      await page.keyboard.press('a');
      assert.equal(await isOpen(page), false);
      assert.match((await page.locator('.why').textContent()) ?? '', /read all texts to their end/);
      await examine(page, `texts-${browser}`);
      // A jump to the end is enough, and the report tells it from reading.
      await page
        .locator('.text')
        .first()
        .evaluate((box) => box.scrollTo(0, box.scrollHeight));
      const place = await person.settled();
      assert.equal(await page.locator('.why').textContent(), '');
      assert.match((await page.locator('[data-value=A]').textContent()) ?? '', /Text A/);
      await person.answer(place);
      await page.locator('[data-screen=end]').waitFor();
      const { members, ...rest } = readIn(bench);
      assert.deepEqual(rest, { offset_us: 0, slips: [], hidden_us: 0 });
      assert.deepEqual(members[0]?.seen.length, 2);
      assert.deepEqual([members[0]?.seen.at(-1)?.[1], members[1]?.seen], [100, [[0, 100]]]);
      for (const { shown_us, first_us, replays, dropped, stalls } of members) {
        assert.deepEqual({ replays, dropped, stalls }, { replays: 0, dropped: 0, stalls: [] });
        assert.ok(first_us < 100_000 && shown_us > 500_000, `${first_us} ${shown_us}`);
      }
      assert.deepEqual(faultsOf(page), []);
    });

    test('are read for as long as they were in view, also before the page was hidden or turned', async () => {
      const { page, person } = await at('three', { viewport: { width: 1366, height: 625 } });
      await page.waitForTimeout(600);
      await hide(page, true);
      await page.waitForTimeout(300);
      await hide(page, false);
      await page.setViewportSize({ width: 500, height: 700 });
      await page.locator('.reading[data-tabs=true]').waitFor();
      await person.answer(await person.settled());
      await page.locator('[data-screen=end]').waitFor();
      const { members, hidden_us } = readIn(bench);
      const { rt_us = 0 } = /** @type {AnswerBody} */ (bench.mock.last.taken.at(-1)?.body);
      const [first, ...others] = members.map(({ shown_us }) => shown_us);
      assert.ok(hidden_us >= 300_000, String(hidden_us));
      assert.ok(Math.abs((first ?? 0) + hidden_us - rt_us) < 300_000, `${first} ${hidden_us} ${rt_us}`);
      assert.ok(
        others.every((other) => other >= 600_000),
        String(others),
      );
      assert.deepEqual(faultsOf(page), []);
    });

    test('bring no element, attribute or code that is not on the list', async () => {
      const { page } = await at('hostile');
      const found = await page.locator('.text').evaluateAll((boxes) =>
        boxes.flatMap((box) =>
          [...box.querySelectorAll('*')].map((one) => ({
            name: one.localName,
            space: one.namespaceURI,
            attributes: [...one.attributes].map(({ name, value }) => `${name}=${value}`),
          })),
        ),
      );
      assert.ok(found.length > 20);
      const attributes = new Set(found.flatMap((one) => one.attributes));
      assert.deepEqual([...attributes].sort(), ['data-align=center', 'data-level=1', 'start=5']);
      for (const { name, space } of found) {
        assert.ok(ALLOWED.has(name), name);
        assert.equal(space, 'http://www.w3.org/1999/xhtml');
      }
      const words = (await page.locator('.text').first().textContent()) ?? '';
      assert.match(words, /kept link/);
      assert.match(words, /x < y/);
      assert.doesNotMatch(words, /never|hacked|display: none/);
      assert.equal(await page.evaluate(() => 'hacked' in window), false);
      assert.equal(await page.locator('#main').count(), 1);
      assert.ok(page.url().includes('/study/'));
      // The policy already forbids it to the document that is only parsed.
      assert.deepEqual(
        faultsOf(page).filter((fault) => !fault.includes('Content Security Policy')),
        [],
      );
    });

    test('have spans marked by keyboard and by button, until a press removes one', async () => {
      const { page, person } = await at('marks');
      await person.settled();
      await page.locator('.text').focus();
      for (const key of ['ArrowRight', 'Shift+ArrowRight', 'Enter']) await page.keyboard.press(key);
      const marks = () => page.locator('.text mark').allTextContents();
      assert.deepEqual(await marks(), ['One two']);
      await page.evaluate(() => {
        const last = document.querySelector('.text code')?.lastChild;
        if (last)
          getSelection()?.setBaseAndExtent(
            last,
            String(last.textContent).indexOf('five'),
            last,
            last.textContent?.length ?? 0,
          );
      });
      await page.locator('[data-action=mark]').click();
      assert.deepEqual(await marks(), ['One two', 'five.']);
      await examine(page, `texts-marks-${browser}`);
      await page.locator('.text mark').first().click();
      assert.deepEqual(await marks(), ['five.']);
      await page.locator('.option').first().click();
      await page.locator('.questions [type=submit]').click();
      await page.locator('[data-screen=end]').waitFor();
      const body = /** @type {AnswerBody} */ (bench.mock.last.taken.at(-1)?.body);
      assert.deepEqual(body.answer['wrong'], [[0, 22, 27]]);
    });

    test('run in the direction of their own language', async () => {
      const { page, person } = await at('one');
      const box = page.locator('.text');
      assert.equal(await box.evaluate((one) => getComputedStyle(one).direction), 'rtl');
      assert.equal(await page.locator('[role=tab]').count(), 0);
      assert.equal(await box.locator('ol').getAttribute('start'), '3');
      await person.answer(await person.settled());
      await page.locator('[data-screen=end]').waitFor();
      assert.equal(readIn(bench).members.length, 1);
    });
  });
}

describe('trials of texts', () => {
  /** @type {Bench} */
  let bench;
  before(async () => void (bench = await Bench.open()));
  afterEach(() => bench.leave());
  after(() => bench.close());

  test('a narrow window has tabs, both of which have to be opened', async () => {
    const page = await bench.rater({ study: 'pair' }, ON_A_PHONE);
    const person = new Person(page, 'touch');
    await person.begin();
    await page.locator('.reading').waitFor();
    assert.equal(await page.locator('.text:visible').count(), 1);
    await read(page, 0);
    await page.waitForTimeout(300);
    assert.equal(await isOpen(page), false);
    await examine(page, 'texts-tabs');
    assert.equal(await isTooWide(page), false);
    await page.locator('[role=tab]').nth(1).tap();
    const place = await person.settled();
    assert.equal(await page.locator('.text:visible').count(), 1);
    await page.locator('[role=tab]').nth(1).press('ArrowLeft');
    assert.equal(await page.locator('[role=tab]').first().getAttribute('aria-selected'), 'true');
    await person.answer(place);
    await page.locator('[data-screen=end]').waitFor();
    const [first, second] = readIn(bench).members;
    assert.deepEqual([first?.seen, second?.seen], [[[0, 100]], [[0, 100]]]); // prettier-ignore
    assert.ok((second?.first_us ?? 0) > (first?.first_us ?? 0));
    assert.deepEqual(faultsOf(page), []);
  });

  for (const locale of sized(LOCALES, ['ar'])) {
    test(`${locale}: axe finds nothing`, async () => {
      const page = await bench.rater({ study: 'three' }, { locale });
      const person = new Person(page);
      await person.begin();
      await person.settled();
      await examine(page, `texts-${locale}`);
      assert.equal(await isTooWide(page), false);
    });
  }
});
