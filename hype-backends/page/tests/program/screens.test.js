// Twelve cells of the matrix of screens, and in Firefox one of each kind of form: what is judged is large, the way on is in sight,
// and the layout favours no answer; one is answered to its end in Firefox. The whole matrix is a proof (screens/matrix.js), as
// are all cells in Firefox.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Person } from '../browser/person.js';
import { Raters, faultsOf } from '../browser/raters.js';
import { sized } from '../size.js';
import { built } from './program.js';
import { compared, look, ranked, written } from './screens.js';
import { setting } from './setting.js';
import { ccr, composition, editing, heimImage, hypeInfinity } from './studies.js';

/**
 * @import { Spec } from "./studies.js"
 */

const LOW = { width: 1366, height: 625 };
const LAPTOP = { width: 1366, height: 768 };
const SCREEN = { width: 1920, height: 1080 };
const PHONE = { width: 390, height: 844 };
const square = (/** @type {number} */ side) => ({ width: side, height: side });
const WIDE = { width: 1536, height: 1024 };

/** Each with the least width of what is judged. @type {[Spec, { width: number, height: number }, typeof LOW, number][]} */
const CELLS = [
  [compared('contrast', 1, ['prompt', 'source']), square(512), LOW, 320],
  [compared('contrast', 1, ['source']), square(64), LOW, 320],
  [compared('contrast', 1, []), WIDE, PHONE, 160],
  [compared('contrast', 3, ['prompt']), square(1024), LOW, 380],
  [compared('best_of', 1, ['source']), square(512), LAPTOP, 290],
  [compared('best_of', 2, []), square(1024), PHONE, 96],
  [ranked(['prompt']), square(512), LAPTOP, 250],
  [heimImage, square(512), LOW, 440],
  [editing, square(1024), LAPTOP, 400],
  [composition, WIDE, SCREEN, 700],
  [ccr, square(512), PHONE, 160],
  [hypeInfinity(), square(64), SCREEN, 512],
];

/** What Firefox lays out. */
const IN_FIREFOX = sized(
  CELLS,
  [3, 8].flatMap((at) => CELLS.slice(at, at + 1)),
);

describe('what raters see', { ...built, concurrency: 2 }, () => {
  const here = setting();
  /** @type {Raters} */
  let firefox;
  before(async () => {
    firefox = await Raters.openFirefox();
  });
  after(() => firefox.close());

  for (const cell of sized(CELLS, IN_FIREFOX)) {
    const [spec, images, window, least] = cell;
    test(`${spec.name}: images of ${written(images)} at ${written(window)}`, async () => {
      const program = await here.studies.serve(spec, { resize: { fit: 'exact', ...images } });
      for (const raters of IN_FIREFOX.includes(cell) ? [here.raters, firefox] : [here.raters]) {
        const page = await raters.rater(program.raters, { viewport: window });
        const person = new Person(page);
        await person.begin();
        await person.playToTrial();
        const { judged, next, faults } = await look(page);
        assert.deepEqual(faults, []);
        assert.equal(next, true, 'the way on is in sight');
        assert.ok(judged.width >= least, `what is judged is ${written(judged)}`);
        if (raters === firefox && spec === editing) {
          await person.playToEnd();
          assert.ok((await program.log()).some(({ ending }) => ending === 'completed'));
        }
        assert.deepEqual(faultsOf(page), []);
        await page.context().close();
      }
    });
  }
});
