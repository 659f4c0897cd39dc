// A recruiting study on a fake of its platform, directed from the operator's page alone: its work is approved and rejected, and the
// run ends when everybody is paid.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { REASON } from '../mock/operator.js';
import { examine } from '../browser/axe.js';
import { faultsOf } from '../browser/raters.js';
import { builtWithFakes } from './program.js';
import { setting } from './setting.js';
import { hypeInfinity } from './studies.js';

describe('a study that recruits', builtWithFakes, () => {
  const here = setting();

  test('ends when the operator has decided on all work, and pays once what was earned', async () => {
    const study = { ...hypeInfinity({ qualification: null, raters: 3 }), simulate: { kind: 'synthetic' } };
    const program = await here.studies.serve({ ...study, name: 'crowd' }, {}, 'prolific');
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
});
