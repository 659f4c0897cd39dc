// Reasons why a rater cannot take part that a running program does not give immediately, in two languages and in proofs in all.

import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { LOCALES, sized } from '../size.js';
import { examine } from './axe.js';
import { Bench } from './bench.js';
import { arriveAt, faultsOf } from './raters.js';

const bench = await Bench.open();
afterEach(() => bench.leave());
after(() => bench.close());

for (const locale of sized(LOCALES, ['ar'])) {
  test(`${locale}: a study that is over or needs other people, a link that was used, a session that has expired`, async () => {
    const page = await bench.raters.rater('about:blank', { locale });
    for (const reason of ['over', 'excluded', 'not-qualified', 'link-used', 'expired']) {
      await bench.visit(page, { closed: reason });
      await arriveAt(page, 'closed');
      await examine(page, locale === 'en' ? reason : `${locale}-${reason}`);
      assert.deepEqual(faultsOf(page), []);
    }
  });
}
