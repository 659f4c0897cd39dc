// The setting of every test of the program: a browser for raters, and served studies.

import { after, before } from 'node:test';
import { Raters } from '../browser/raters.js';
import { Studies } from './program.js';

/**
 * For the tests of a `describe`: opened before the first of them, closed after the last.
 * @returns {{ raters: Raters, studies: Studies }}
 */
export function setting() {
  const set = /** @type {{ raters: Raters, studies: Studies }} */ ({});
  before(async () => {
    set.raters = await Raters.open();
    set.studies = await Studies.draw();
  });
  after(async () => {
    await set.raters.close();
    await set.studies.close();
  });
  return set;
}
