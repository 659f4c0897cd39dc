// Every screen in every language passes axe's rules for WCAG 2.2 AA, from left to right and from right to left.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, afterEach, test } from 'node:test';
import { Bench, act, arriveAt, begin, consent, faultsOf } from './bench.js';
import { playToEnd, settled } from './play.js';
import { shoot } from './shots.js';

/**
 * @import { Page } from "playwright-core"
 */

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const bench = await Bench.open();
afterEach(() => bench.leave());
after(() => bench.close());

/** @type {[string, "ltr" | "rtl"][]} */
const LANGUAGES = [
  ['en', 'ltr'],
  ['de', 'ltr'],
  ['es', 'ltr'],
  ['zh', 'ltr'],
  ['ar', 'rtl'],
];

/** @param {Page} page @param {string} name */
async function examine(page, name) {
  await page.evaluate(AXE);
  const found = await page.evaluate(async (rules) => {
    const { axe } = /** @type {any} */ (globalThis);
    const { violations } = await axe.run(document, { runOnly: rules });
    return violations.map(
      (/** @type {any} */ one) => `${one.id}: ${one.nodes.map((/** @type {any} */ node) => node.html).join(' | ')}`,
    );
  }, RULES);
  assert.deepEqual(found, [], name);
  await shoot(page, name);
}

for (const [locale, written] of LANGUAGES) {
  test(`${locale}: a whole session`, async () => {
    const page = await bench.rater({}, { locale });
    await arriveAt(page, 'consent');
    assert.deepEqual(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir]), [
      locale,
      written,
    ]);
    await examine(page, `${locale}-consent`);
    await consent(page);
    await page.locator('[data-action=begin]:enabled').waitFor();
    await examine(page, `${locale}-instructions`);
    await act(page, 'begin');
    await playToEnd(page, 'mouse', ({ screen, trial }) =>
      examine(page, `${locale}-${screen}${trial === null ? '' : `-${trial}`}`),
    );
    assert.deepEqual(faultsOf(page), []);
  });

  test(
    `${locale}: what stands beside a session`,
    { skip: bench.mock === null ? 'needs the mock server' : false },
    async () => {
      for (const reason of ['full', 'over', 'took-part', 'link-used', 'link-invalid', 'expired']) {
        const page = await bench.rater({ closed: reason }, { locale });
        await arriveAt(page, 'closed');
        await examine(page, `${locale}-closed-${reason}`);
      }
      const poor = await bench.rater({ study: 'timed', hz: '500' }, { locale });
      await consent(poor);
      await poor.locator('[data-refused]').waitFor();
      await examine(poor, `${locale}-refusal`);
      await act(poor, 'leave');
      await arriveAt(poor, 'end');
      await examine(poor, `${locale}-left`);
      const page = await bench.rater({ study: 'untimed' }, { locale });
      await arriveAt(page, 'consent');
      await act(page, 'decline');
      await arriveAt(page, 'declined');
      await examine(page, `${locale}-declined`);
      await act(page, 'back');
      await begin(page);
      await settled(page);
      await act(page, 'withdraw');
      await examine(page, `${locale}-withdraw`);
      await page.locator('dialog [data-action=stay]').click();
      await page.route('**/api/**', (route) => route.abort());
      await page.locator('.questions button').first().click();
      await page.locator('.save-status[data-state=waiting]').waitFor();
      await examine(page, `${locale}-not-saved`);
      await page.unroute('**/api/**');
      bench.inside.last.tab = 'f'.repeat(32);
      await act(page, 'hurry');
      await arriveAt(page, 'taken-over');
      await examine(page, `${locale}-taken-over`);
      bench.inside.mode.faults = [{ action: 'answer', status: 400, code: 'bad-request' }];
      await act(page, 'take-back');
      await arriveAt(page, 'trouble');
      await examine(page, `${locale}-trouble`);
      assert.deepEqual(faultsOf(page), []);
    },
  );
}

test('a rater chooses the language, and it stays chosen', async () => {
  const page = await bench.rater({ study: 'untimed' });
  await arriveAt(page, 'consent');
  await page.locator('[data-action=language]').selectOption('ar');
  await page.locator('html[lang=ar][dir=rtl]').waitFor();
  await page.reload();
  await page.locator('html[lang=ar][dir=rtl]').waitFor();
  await consent(page);
  await arriveAt(page, 'instructions');
  assert.equal(await page.locator('html').getAttribute('lang'), 'ar');
});
