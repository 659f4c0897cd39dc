// Recruiting studies on fakes of their platforms: one that is directed from the operator's page alone, and ones in which a person
// takes part in a browser together with synthetic ones. The run ends when all are paid.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { REASON } from '../mock/operator.js';
import { examine } from '../browser/axe.js';
import { frameOf, inside, shows } from '../browser/framed.js';
import { Person } from '../browser/person.js';
import { faultsOf } from '../browser/raters.js';
import { sized } from '../size.js';
import { holdsTheAnswers, sessionOf } from './log.js';
import { builtWithFakes } from './program.js';
import { setting } from './setting.js';
import { generated, hypeInfinity, real } from './studies.js';

/**
 * @import { Page } from "playwright-core"
 * @import { Program } from "./program.js"
 */

describe('a study that recruits', builtWithFakes, () => {
  const here = setting();

  test('ends when the operator has decided on all work, and pays once what was earned', async () => {
    const study = { ...hypeInfinity({ qualification: null, raters: 3 }), simulate: { kind: 'synthetic' } };
    const program = await here.studies.serve({ ...study, name: 'crowd' }, {}, 'prolific', {
      review: { finished: 'hold' },
    });
    const page = await here.raters.rater(program.operator);
    await page.getByRole('tab', { name: 'Crowd' }).click();
    await page.getByRole('tab', { name: 'Crowd (3 to decide)' }).waitFor();
    const reader = await here.raters.rater(program.reader);
    await reader.getByRole('tab', { name: 'Crowd (3 to decide)' }).click();
    assert.equal(await reader.getByRole('button', { name: /Approve|Reject|Pay now/ }).count(), 0);
    await examine(reader, 'operator-fake-reader');
    await reader.context().close();

    /** Decides on the first work that waits. @param {"Approve" | "Reject"} verb @param {string} [reason] */
    const decide = async (verb, reason) => {
      const name = await page.getByRole('button', { name: verb }).first().getAttribute('aria-label');
      const button = page.getByRole('button', { name: name ?? '', exact: true });
      await button.click();
      const dialog = page.getByRole('dialog');
      if (reason !== undefined) await dialog.getByRole('textbox').fill(reason);
      await dialog.getByRole('button', { name: verb, exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      await button.waitFor({ state: 'detached' });
    };
    await decide('Reject', REASON);
    await decide('Approve');
    await decide('Approve');
    const { code, said } = await program.ended();
    assert.equal(code, 0, said);
    assert.deepEqual(faultsOf(page), []);
    const ledger = await program.ledger();
    const rewards = ledger.payments.filter((/** @type {any} */ { payment }) => payment.purpose === 'reward');
    assert.deepEqual(
      rewards.map((/** @type {any} */ { state, sendings }) => [state, sendings]),
      [
        ['confirmed', 1],
        ['confirmed', 1],
      ],
    );
    const rejected = ledger.rejections.map((/** @type {any} */ { by, reason }) => [by, reason]);
    assert.deepEqual(rejected, [['operator', REASON]]);
  });

  for (const kind of sized(/** @type {const} */ (['prolific', 'mturk', 'panel']), /** @type {const} */ (['mturk']))) {
    test(`a person in a browser takes part through ${kind}, and is paid like the others`, async () => {
      const raters = sized(30, 6);
      const two = hypeInfinity({ raters, qualification: { trials: 2, pass: { rule: 'overall', at_least: 0 } } });
      const stimuli = { real: real('*'), ...generated(['good', 'weak'], '*') };
      const spec = { ...two, stimuli, name: kind, simulate: { kind: 'synthetic' } };
      const settings = kind === 'panel' ? { platform: { participant: 'id' } } : {};
      // Synthetic people come once the person has begun, and so leave a place.
      const program = await here.studies.serve(spec, {}, kind, settings, 1);
      const page = await here.raters.rater('about:blank');
      const person = await COME[kind](program, page);
      const { code, said } = await program.ended();
      assert.equal(code, 0, said);

      assert.equal((await program.plan()).sessions, 2 * raters);
      const log = await program.log();
      const kept = sessionOf(log, person);
      assert.equal(kept.ending, 'completed');
      holdsTheAnswers(kept, person);
      const findings = await program.findings();
      assert.equal(findings.collected.completed, 2 * raters);
      const ledger = await program.ledger();
      const inCents = (/** @type {number} */ amount) => Math.round(100 * amount);
      const sum = ledger.payments.reduce(
        (/** @type {number} */ sum, /** @type {any} */ one) => sum + inCents(one.amount),
        0,
      );
      assert.equal(sum, inCents(findings.earnings.total), said);
      const own = ledger.payments.filter((/** @type {any} */ one) => one.payment.session === kept.session);
      assert.deepEqual(
        own.map((/** @type {any} */ one) => one.payment.purpose),
        ['reward', 'bonus'],
      );
      // A panel without an interface is paid by hand.
      const state = kind === 'panel' ? 'planned' : 'confirmed';
      assert.ok(ledger.payments.every((/** @type {any} */ one) => one.state === state));
      if (kind !== 'panel') assert.match(said, new RegExp(`all agree on ${ledger.payments.length} payments`));
    });
  }
});

/**
 * How a person comes to a study, takes part and hands in, by the platform.
 * @type {Record<"prolific" | "mturk" | "panel", (program: Program, page: Page) => Promise<Person>>}
 */
const COME = {
  async prolific(program, page) {
    await page.goto(program.platform);
    await pressWhenOffered(page, 'Take part');
    const person = new Person(page);
    await person.begin();
    await person.playToEnd();
    await page.locator('[data-action=redirect]').click();
    await page.getByText('Your work was handed in.').waitFor();
    assert.ok(page.url().startsWith(program.platform));
    return person;
  },
  async mturk(program, page) {
    await page.goto(program.platform);
    await pressWhenOffered(page, 'Accept');
    const frame = await frameOf(page);
    await shows(frame, 'consent');
    const person = new Person(inside(frame));
    await person.begin();
    await person.playToEnd();
    await frame.locator('[data-action=hand-in]').click();
    await frame.getByText('Thank you.', { exact: true }).waitFor();
    return person;
  },
  async panel(program, page) {
    await page.goto(`${program.raters}?id=a-person`);
    const person = new Person(page);
    await person.begin();
    await person.playToEnd();
    assert.match((await page.locator('.code').textContent()) ?? '', /^[0-9A-F]{10}$/);
    return person;
  },
};

/** Presses the button of a platform's page as soon as the study is listed. @param {Page} page @param {string} name */
async function pressWhenOffered(page, name) {
  const button = page.getByRole('button', { name, exact: true });
  while ((await button.count()) === 0) await page.reload();
  await button.click();
}
