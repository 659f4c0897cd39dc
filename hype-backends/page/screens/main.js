// Makes the contact sheets of docs/SCREENS.md: `npm run screens`. Needs Chromium and the program, as the browser tests do.
// `npm run screens -- tasks` or `-- tests` makes only the sheets of the tasks, or those of the tests' screenshots.

import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Raters } from '../tests/browser/raters.js';
import { shotsOfTasks } from './tasks.js';
import { shotsOfTests } from './tests.js';
import { sheet } from './sheet.js';

const TO = fileURLToPath(new URL('../../../docs/page/', import.meta.url));
const only = process.argv[2];

await mkdir(TO, { recursive: true });
const raters = await Raters.open();
try {
  if (only !== 'tests') {
    for await (const { name, shots, columns } of shotsOfTasks(raters)) await sheet(raters, TO, name, shots, columns);
  }
  if (only !== 'tasks') {
    for await (const { name, shots, columns } of shotsOfTests()) await sheet(raters, TO, name, shots, columns);
  }
} finally {
  await raters.close();
}
