// The operator's page: before the first answer, while raters answer, and without its token; on a desktop and on a phone.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { examine } from '../browser/axe.js';
import { Person } from '../browser/person.js';
import { DESKTOP, PATIENCE, PHONE, faultsOf, isTooWide } from '../browser/raters.js';
import { sized } from '../size.js';
import { built } from './program.js';
import { setting } from './setting.js';
import { NEEDS, hypeInfinity, hypeTime } from './studies.js';

/**
 * @import { Page } from "playwright-core"
 */

describe("the operator's page", { ...built, concurrency: 2 }, () => {
  const here = setting();

  /** One of the numbers of the page. @param {Page} page @param {string} name */
  const number = (page, name) => page.getByRole('region', { name, exact: true });

  /** Waits until so many of the places are completed. @param {Page} page @param {number} done @param {number} places */
  const completed = (page, done, places) =>
    number(page, 'Completed')
      .filter({ hasText: new RegExp(`${done}\\s*of ${places}\\s*place`) })
      .waitFor();

  /** Opens a tab of the list of raters. @param {Page} page @param {string} name */
  const group = (page, name) => page.getByRole('tab', { name: new RegExp(`^${name}`) }).click();

  /** @param {Page} page @param {string} name */
  async function examineBoth(page, name) {
    for (const viewport of [DESKTOP, PHONE]) {
      await page.setViewportSize(viewport);
      for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
        if (!sized(true, colorScheme === 'dark' && viewport === PHONE)) continue;
        await page.emulateMedia({ colorScheme });
        assert.equal(await isTooWide(page), false, `${name} is wider than ${viewport.width} pixels`);
        await examine(page, colorScheme === 'dark' ? `${name}-dark` : name);
      }
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(DESKTOP);
  }

  /** Presses a button of the page, and the button of its dialog. @param {Page} page @param {string} button @param {string} verb @param {string} [field] */
  async function act(page, button, verb, field) {
    await page.getByRole('button', { name: button }).click();
    const dialog = page.getByRole('dialog');
    if (field !== undefined) await dialog.locator('input').fill(field);
    await dialog.getByRole('button', { name: verb, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  /** The titles of figures as the server tells them. @param {Page} page */
  const titles = (page) =>
    page.evaluate(async () => {
      const headers = { authorization: `Bearer ${sessionStorage.getItem('hype-operator')}` };
      const status = await (await fetch('operator/status', { headers })).json();
      return status.figures.map((/** @type {{ title: string }} */ { title }) => title);
    });

  /** What an arriving rater reads. @param {string} address @param {string} locale @param {string} text */
  async function reads(address, locale, text) {
    const rater = await here.raters.rater(address, { locale });
    await rater.getByText(text).waitFor();
    if (sized(true, locale !== 'en-GB')) await examine(rater, `paused-${locale}`);
    await rater.context().close();
  }

  test('shows the progress of the study with the token', async () => {
    const program = await here.studies.serve(hypeTime({ models: ['good', 'weak'] }), { needs: NEEDS });
    const page = await here.raters.rater(program.operator);
    /** @type {string[]} */
    const drawn = [];
    await page.route('**/operator/figure/**', async (route) => {
      const response = await route.fetch();
      drawn.push(await response.text());
      await route.fulfill({ response });
    });
    await page.getByText('There are too few answers for estimates.').waitFor();
    await page.getByText(/^updated/).waitFor();
    assert.equal(new URL(page.url()).hash, '');
    await completed(page, 0, 4);
    if (sized(true, false)) await examineBoth(page, 'operator-before');

    for (let taste = 0; taste < 3; taste += 1) {
      const person = new Person(await here.raters.rater(program.raters), 'keyboard', taste);
      await person.begin();
      await person.playToEnd();
      await person.page.context().close();
    }
    const fourth = new Person(await here.raters.rater(program.raters));
    await fourth.begin();
    await completed(page, 3, 4);
    await number(page, 'Raters now').getByText('1 active').waitFor();
    await page.getByRole('row').filter({ hasText: 'Rating' }).getByText('0 of').waitFor();
    await page.getByText('18 answers', { exact: true }).waitFor();
    await number(page, 'Cost')
      .getByText(/of about/)
      .waitFor();
    await page
      .getByText(/shown as planned/)
      .first()
      .waitFor();
    await group(page, 'Completed');
    await page.getByRole('row').filter({ hasText: 'Completed' }).nth(2).waitFor();
    const forest = page.locator('.measured img[src^="blob:"]');
    await forest.waitFor();
    assert.match((await forest.getAttribute('alt')) ?? '', /good|weak/);
    const widths = drawn.map((svg) => / width="(\d+)"/.exec(svg)?.[1]);
    assert.ok(widths.includes('736') && widths.includes('350'), widths.join());
    const isForest = (/** @type {string} */ svg) => /^<svg/.test(svg) && svg.includes('good') && svg.includes('weak');
    assert.ok(drawn.some(isForest), drawn.map((svg) => svg.slice(0, 400)).join('\n'));
    await examineBoth(page, 'operator');
    await page.getByRole('tab', { name: 'Details' }).click();
    assert.deepEqual(await page.locator('figure.chart h3').allInnerTexts(), await titles(page));
    await examineBoth(page, 'operator-details');
    await page.reload();
    await page.getByRole('tab', { name: 'Study' }).click();
    await completed(page, 3, 4);
    assert.deepEqual(faultsOf(page), []);

    const stranger = await here.raters.rater(`${program.raters}operator`);
    await stranger.getByText('The token is missing or wrong').waitFor();
    await examineBoth(stranger, 'operator-stranger');
    const curious = await here.raters.rater(`${program.raters}operator#${'0'.repeat(64)}`);
    await curious.getByText('The token is missing or wrong').waitFor();
  });

  /** A study without a qualification, whose raters need only a few answers. */
  const quick = (raters = 3) => ({ ...hypeInfinity({ qualification: null, raters }), name: 'control' });

  /** Takes part. @param {string} address */
  async function takePart(address) {
    const person = new Person(await here.raters.rater(address));
    await person.begin();
    await person.playToEnd();
    await person.page.context().close();
  }

  test('pauses and resumes the study, also from the command line', async () => {
    const program = await here.studies.serve(quick());
    const page = await here.raters.rater(program.operator);
    const inside = new Person(await here.raters.rater(program.raters));
    await inside.begin();
    await act(page, 'Pause', 'Pause');
    await page.locator('.badge[data-state=paused]').waitFor();
    await reads(program.raters, 'en-GB', 'This study is paused at the moment.');
    await reads(program.raters, 'ar-EG', 'هذه الدراسة متوقفة مؤقتًا');
    await inside.playToEnd();
    await number(page, 'Expected end').getByText('the study is paused').waitFor();
    assert.match(await program.act('resume'), /resumed the study/);
    await page.locator('.badge[data-state=open]').waitFor();
    await takePart(program.raters);
    assert.deepEqual(
      (await program.actions()).map(({ action }) => action.kind),
      ['pause', 'resume'],
    );
    assert.deepEqual(faultsOf(page), []);
  });

  test('excludes a rater with a reason, once, and takes it back', async () => {
    const program = await here.studies.serve(quick());
    const page = await here.raters.rater(program.operator);
    await takePart(program.raters);
    await takePart(program.raters);
    await completed(page, 2, 3);
    await group(page, 'Completed');
    await page
      .getByRole('button', { name: /^Exclude rater/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The declared rules say').waitFor();
    await examineBoth(page, 'operator-exclude');
    await dialog.locator('input').fill('asked a friend');
    await dialog.getByRole('button', { name: 'Exclude', exact: true }).dblclick();
    await dialog.waitFor({ state: 'detached' });
    await completed(page, 1, 3);
    await group(page, 'Excluded 1');
    await page.getByRole('row').filter({ hasText: 'Excluded' }).getByText('asked a friend').waitFor();
    const findings = await program.findings();
    assert.deepEqual(
      findings.exclusions.map((/** @type {any} */ { rule, reason }) => [rule, reason]),
      [['operator', 'excluded by the operator: asked a friend']],
    );
    const log = await program.actions();
    assert.deepEqual(
      log.map(({ action, by }) => [action.kind, by]),
      [['exclude', 'operator']],
    );
    await page.getByRole('button', { name: /^Include rater/ }).click();
    await dialog.getByRole('button', { name: 'Include', exact: true }).click();
    assert.equal(await dialog.isVisible(), true, 'a reason is required');
    await dialog.locator('input').fill('a mistake');
    await dialog.getByRole('button', { name: 'Include', exact: true }).click();
    await completed(page, 2, 3);
    assert.deepEqual((await program.findings()).exclusions, []);
    assert.deepEqual(faultsOf(page), []);
  });

  test('adds places, offers downloads, and closes the study, which ends the run', async () => {
    const program = await here.studies.serve(quick(1));
    const page = await here.raters.rater(program.operator);
    await completed(page, 0, 1);
    await act(page, 'Add places…', 'Add places', '2');
    await completed(page, 0, 3);
    await takePart(program.raters);
    await takePart(program.raters);
    await completed(page, 2, 3);
    await page.getByRole('button', { name: 'Download…' }).click();
    const dialog = page.getByRole('dialog');
    for (const [file, begins] of /** @type {[string, string][]} */ ([
      ['scores.csv', 'rater,model,'],
      ['package.tar', 'package/README.md'],
    ])) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        dialog.getByRole('button', { name: file }).click(),
      ]);
      assert.equal(download.suggestedFilename(), file);
      const content = await readFile(await download.path(), 'utf8');
      assert.ok(content.startsWith(begins), `${file}: ${content.slice(0, 80)}`);
    }
    await examineBoth(page, 'operator-download');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Downloaded package.tar', { exact: true }).waitFor();
    if (sized(true, false)) await examineBoth(page, 'operator-control');
    await act(page, 'Close…', 'Close the study');
    const { code, said } = await program.ended();
    assert.equal(code, 0, said);
    assert.match(said, /the operator closed the study with 1 place open/);
    // The page says so after half a minute.
    await page.getByText('The server is not reached').waitFor({ timeout: 2 * PATIENCE });
    await examine(page, 'operator-lost');
  });

  test('shows everything with the key for readers, and lets them do nothing', async () => {
    const program = await here.studies.serve(quick());
    const page = await here.raters.rater(program.reader);
    await page.getByText('This key lets you look, not act.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Pause' }).count(), 0);
    const status = await page.evaluate(async () => {
      const headers = {
        authorization: `Bearer ${sessionStorage.getItem('hype-operator')}`,
        'content-type': 'application/json',
      };
      const body = JSON.stringify({ id: '0'.repeat(32), act: { kind: 'close' } });
      const response = await fetch('operator/act', { method: 'POST', headers, body });
      return [response.status, (await response.json()).error.code];
    });
    assert.deepEqual(status, [403, 'read-only-key']);
    assert.deepEqual(await program.actions(), []);
  });
});
