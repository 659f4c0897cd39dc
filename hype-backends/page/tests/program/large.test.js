// Images of today's sizes on a small screen: everything is seen at once, no smaller than `hype check` states.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { faultsOfLayout } from '../browser/layout.js';
import { Person } from '../browser/person.js';
import { faultsOf } from '../browser/raters.js';
import { sized } from '../size.js';
import { built } from './program.js';
import { setting } from './setting.js';
import { bestOf, contrast, editing, heimImage, ranking } from './studies.js';

/** @import { Place } from "../browser/person.js" */

const WINDOW = { width: 1280, height: 720 };

describe('images of 1024 × 1024 pixels', built, () => {
  const here = setting();

  for (const spec of sized([contrast, ranking, bestOf, heimImage, editing], [ranking, editing])) {
    test(`${spec.name}: everything is seen at once, at the stated scale or larger`, async () => {
      const program = await here.studies.serve(spec, { resize: { fit: 'exact', width: 1024, height: 1024 } });
      const stated = (await program.check()).find(({ code }) => code === 'large-images');
      const percent = Number(/reduced to (\d+) %/.exec(stated?.message ?? '')?.[1]);
      assert.match(stated?.help ?? '', /^`resize: \{ fit: within, width: \d+, height: \d+ \}` fits/);
      const page = await here.raters.rater(program.raters, { viewport: WINDOW });
      const person = new Person(page);
      await person.begin();
      /** @type {number[]} */
      const scales = [];
      const look = async (/** @type {Place} */ { screen }) => {
        if (screen !== 'trial') return;
        assert.deepEqual(await faultsOfLayout(page), []);
        scales.push(Number(await page.locator('.trial').getAttribute('data-scale')));
      };
      // All trials have one layout.
      if (sized(true, false)) await person.playToEnd(look);
      else await look(await person.playToTrial());
      assert.ok(scales.length > 0 && scales.every((scale) => scale >= percent / 100), `${scales}, and ${percent} %`);
      assert.deepEqual(faultsOf(page), []);
    });
  }
});
