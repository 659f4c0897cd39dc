// Screenshots of reports of example studies at three widths, light and dark.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runProgram } from '../tests/program/program.js';

/**
 * @import { Raters } from "../tests/browser/raters.js"
 * @import { Sheet, Shot } from "./sheet.js"
 */

const EXAMPLES = fileURLToPath(new URL('../../../examples/', import.meta.url));

/** The studies, by the names of their sheets. */
const STUDIES = {
  'hype-time': 'quickstart/evaluation.yaml',
  contrast: 'studies/contrast.yaml',
  training: 'studies/training.yaml',
};

/** Windows of a phone, a tablet and a computer, in CSS pixels. */
const WINDOWS = [390, 800, 1_280].map((width) => ({ width, height: Math.round(1.6 * width) }));

/** The beginnings of the reports. @param {Raters} raters @returns {AsyncGenerator<Sheet>} */
export async function* shotsOfReports(raters) {
  const folder = await mkdtemp(join(tmpdir(), 'hype-reports-'));
  try {
    for (const [name, spec] of Object.entries(STUDIES)) {
      const report = join(folder, name);
      await runProgram(['simulate', join(EXAMPLES, spec), '-o', report]);
      const context = await raters.browser.newContext();
      const page = await context.newPage();
      await page.goto(pathToFileURL(join(report, 'index.html')).href);
      /** @type {Shot[]} */
      const shots = [];
      for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
        await page.emulateMedia({ colorScheme });
        for (const window of WINDOWS) {
          await page.setViewportSize(window);
          const png = await page.screenshot({ animations: 'disabled' });
          shots.push({ caption: `${window.width} pixels, ${colorScheme}`, png });
        }
      }
      await context.close();
      yield { name: `report-${name}`, shots, columns: WINDOWS.length };
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
