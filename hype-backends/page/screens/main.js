// Makes the contact sheets of docs/measured/screens.md and docs/reference/report.md: `npm run screens`. Needs Chromium and the
// program, as the browser tests do. `npm run screens -- tasks`, `-- tests` or `-- reports` makes only those of the tasks, of the
// tests' screenshots, or of reports.

import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Raters } from '../tests/browser/raters.js';
import { shotsOfReports } from './reports.js';
import { shotsOfTasks } from './tasks.js';
import { shotsOfTests } from './tests.js';
import { sheet } from './sheet.js';

/** @import { Sheet } from "./sheet.js" */

const TO = fileURLToPath(new URL('../../../docs/page/', import.meta.url));
const only = process.argv[2];

await mkdir(TO, { recursive: true });
const raters = await Raters.open();
try {
  /** @type {Record<string, AsyncGenerator<Sheet>>} */
  const kinds = { tasks: shotsOfTasks(raters), tests: shotsOfTests(), reports: shotsOfReports(raters) };
  for (const [kind, sheets] of Object.entries(kinds)) {
    if (only !== undefined && only !== kind) continue;
    for await (const { name, shots, columns } of sheets) await sheet(raters, TO, name, shots, columns);
  }
} finally {
  await raters.close();
}
