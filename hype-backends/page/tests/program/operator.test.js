// The operator's page: before the first answer, while raters answer, and without its token; on a desktop and on a phone.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { examine } from '../browser/axe.js';
import { Person } from '../browser/person.js';
import { DESKTOP, PHONE, faultsOf, isTooWide } from '../browser/raters.js';
import { built } from './program.js';
import { setting } from './setting.js';
import { NEEDS, hypeTime } from './studies.js';

/**
 * @import { Page } from "playwright-core"
 */

describe("the operator's page", built, () => {
  const here = setting();

  /** A figure by its heading. @param {Page} page @param {string} what */
  const figure = (page, what) =>
    page.locator('.figures > div', { has: page.locator('dt', { hasText: new RegExp(`^${what}$`) }) }).locator('dd');

  /** @param {Page} page @param {string} name */
  async function examineBoth(page, name) {
    for (const viewport of [DESKTOP, PHONE]) {
      await page.setViewportSize(viewport);
      assert.equal(await isTooWide(page), false, `${name} is wider than ${viewport.width} pixels`);
      await examine(page, name);
    }
  }

  test('shows the progress of the study with the token', async () => {
    const program = await here.studies.serve(hypeTime({ models: ['good', 'weak'] }), { needs: NEEDS });
    const page = await here.raters.rater(program.operator);
    await page.getByText('No estimates yet').waitFor();
    assert.equal(new URL(page.url()).hash, '');
    assert.equal(await figure(page, 'Completed').innerText(), '0 of 4');
    await examineBoth(page, 'operator-before');

    for (let taste = 0; taste < 3; taste += 1) {
      const person = new Person(await here.raters.rater(program.raters), 'keyboard', taste);
      await person.begin();
      await person.playToEnd();
      await person.page.context().close();
    }
    const fourth = new Person(await here.raters.rater(program.raters));
    await fourth.begin();
    await figure(page, 'Completed').getByText('3 of 4').waitFor();
    await figure(page, 'Raters now').getByText('1', { exact: true }).waitFor();
    await figure(page, 'Answers').getByText('18', { exact: true }).waitFor();
    assert.equal(await figure(page, 'Earned so far').count(), 1);
    assert.equal(await figure(page, 'Exact').count(), 1);
    assert.ok((await page.locator('tbody tr').count()) > 0);
    await examineBoth(page, 'operator');
    await page.reload();
    await figure(page, 'Completed').getByText('3 of 4').waitFor();
    assert.deepEqual(faultsOf(page), []);

    const stranger = await here.raters.rater(`${program.raters}operator`);
    await stranger.getByText('The token is missing or wrong').waitFor();
    await examineBoth(stranger, 'operator-stranger');
    const curious = await here.raters.rater(`${program.raters}operator#${'0'.repeat(64)}`);
    await curious.getByText('The token is missing or wrong').waitFor();
  });
});
