// The matrix of screens: every task without a time limit, with and without a prompt and a source, with one to three criteria and
// after surveys, for four sizes of images in four windows. `cargo xtask prove page` makes a table of it.

import { Person } from '../tests/browser/person.js';
import { Raters, faultsOf } from '../tests/browser/raters.js';
import { Studies } from '../tests/program/program.js';
import { IMAGES, SCREENED, WINDOWS, look, written } from '../tests/program/screens.js';

/**
 * @import { Size } from "../tests/program/screens.js"
 * @import { Spec } from "../tests/program/studies.js"
 */

const raters = await Raters.open();
const studies = await Studies.draw();
let fails = 0;
try {
  for (const spec of SCREENED) for (const images of IMAGES) await see(spec, images);
} finally {
  await raters.close();
  await studies.close();
}
process.exitCode = fails > 0 ? 1 : 0;

/** Prints the sizes of the judged images in every window, and what is wrong. @param {Spec} spec @param {Size} images */
async function see(spec, images) {
  const program = await studies.serve(spec, { resize: { fit: 'exact', ...images } });
  const page = await raters.rater(program.raters);
  const person = new Person(page);
  await person.begin();
  await person.playToTrial();
  const cells = [];
  for (const window of WINDOWS) {
    await page.setViewportSize(window);
    const { judged, next, faults } = await look(page);
    const wrong = [...(next ? [] : ['the way on is out of sight']), ...faults, ...faultsOf(page)];
    fails += wrong.length;
    cells.push([written(judged), ...wrong].join(', '));
  }
  process.stdout.write(`proof: ${[spec.name, written(images), ...cells].join(' | ')}\n`);
  await page.context().close();
  await program.stop();
}
