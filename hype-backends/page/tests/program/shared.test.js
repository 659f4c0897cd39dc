// One computer that raters use in turn, as with the backend `local`.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Person } from '../browser/person.js';
import { arriveAt, faultsOf } from '../browser/raters.js';
import { holdsTheAnswers } from './log.js';
import { built } from './program.js';
import { setting } from './setting.js';
import { likert } from './studies.js';

describe('a computer that raters share', built, () => {
  const here = setting();

  test('each rater in turn gets a fresh page', async () => {
    const program = await here.studies.serve({ ...likert, raters: { per_item: 3 } }, {}, 'local');
    const page = await here.raters.rater(program.raters);
    await arriveAt(page, 'consent');
    await page.locator('[data-action=language]').selectOption('de');
    await page.locator('html[lang=de]').waitFor();
    const first = new Person(page);
    await first.begin();
    await first.playToEnd();
    const given = [first.given];
    await page.reload();
    await arriveAt(page, 'end');
    // The button can be reached by keyboard, and a reload does not bring another rater.
    await new Person(page, 'keyboard').act('next');
    await arriveAt(page, 'consent');
    assert.equal(await page.locator('html').getAttribute('lang'), 'en');
    assert.deepEqual(await page.context().cookies(), []);

    const second = new Person(page, 'keyboard', 1);
    await second.begin();
    await second.answer(await second.settled());
    await page.locator('[data-action=withdraw]').click();
    await page.locator('dialog [data-action=leave]').click();
    await arriveAt(page, 'end');
    await second.act('next');
    given.push(second.given);

    for (const taste of [2, 3]) {
      const person = new Person(page, 'mouse', taste);
      await person.begin();
      await person.playToEnd();
      given.push(person.given);
      if (taste === 2) await person.act('next');
    }
    const { code, said } = await program.ended();
    assert.equal(code, 0, said);
    const log = await program.log();
    const order = ['p000000-000', 'p000001-000', 'p000001-001', 'p000002-000'];
    assert.deepEqual(
      log.map(({ session, ending }) => [session, ending]),
      order.map((session, at) => [session, at === 1 ? 'left' : 'completed']),
    );
    for (const [at, kept] of log.entries()) holdsTheAnswers(kept, { given: given[at] ?? [] });
    assert.deepEqual(faultsOf(page), []);
  });
});
