// Screenshots that the browser tests take: the screens around the trials, those in the dark, and the operator's page.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * @import { Sheet, Shot } from "./sheet.js"
 */

const PAGE = fileURLToPath(new URL('../', import.meta.url));
const TESTS = [
  'tests/program/access.test.js',
  'tests/program/operator.test.js',
  'tests/browser/crowd.test.js',
  'tests/browser/operator.test.js',
  'tests/browser/closely.test.js',
  'tests/program/complete.test.js',
];
const NEEDED =
  '^en: |looking closely|by mouse, in en|by touch, in de|screened out is told|in the dark|around the trials on a phone|shows the progress|excludes a rater|adds places|on a screen nothing scrolls|a phone has less|the tab shows|approves, rejects|readers see|problems are told';

/** The screens of each sheet, by the names of their screenshots. */
const SHEETS = [
  {
    name: 'around',
    device: 'desktop',
    columns: 3,
    screens: ['consent', 'age', 'instructions', 'ready', 'rest', 'end', 'next-person', 'left', 'disqualified'],
  },
  {
    name: 'notices',
    device: 'desktop',
    columns: 3,
    screens: [
      'refusal',
      'declined',
      'full',
      'took-part',
      'link-invalid',
      'unanswered',
      'withdraw',
      'not-saved',
      'taken-over',
      'trouble',
    ],
  },
  {
    name: 'around',
    device: 'phone',
    columns: 6,
    screens: ['consent', 'instructions', 'rest', 'withdraw', 'not-saved', 'end'],
  },
  {
    name: 'dark',
    device: 'desktop',
    columns: 4,
    screens: [
      'dark-consent',
      'dark-instructions',
      'dark-refusal',
      'dark-hype-infinity',
      'dark-likert',
      'dark-heim-image',
      'dark-mask-guided-editing',
      'dark-multi-concept-composition',
      'dark-opinion-ccr',
      'dark-contrast',
      'dark-ranking',
      'dark-best-of',
      'dark-best-of-criteria',
    ],
  },
  {
    name: 'surveys',
    device: 'desktop',
    columns: 3,
    screens: [
      'survey-0',
      'survey-1',
      'survey-2',
      'survey-3',
      'survey-4',
      'correcting',
      'after-0',
      'after-1',
      'after-2',
      'screened-out',
    ],
  },
  {
    name: 'surveys',
    device: 'phone',
    columns: 6,
    screens: ['survey-0', 'survey-1', 'survey-3', 'correcting', 'after-0', 'after-1'],
  },
  { name: 'closely', device: 'desktop', columns: 3, screens: ['closely-zoom', 'closely-flip', 'closely-divider'] },
  { name: 'closely', device: 'phone', columns: 6, screens: ['closely-zoom', 'closely-flip', 'closely-divider'] },
  ...['desktop', 'phone'].flatMap((device) =>
    ['', '-dark'].map((look) => ({
      name: `operator${look}`,
      device,
      columns: device === 'phone' ? 5 : 3,
      screens: ['operator-busy', 'operator', 'operator-details', 'operator-exclude', 'operator-download'].map(
        (one) => `${one}${look}`,
      ),
    })),
  ),
  ...['desktop', 'phone'].flatMap((device) =>
    ['', '-dark'].map((look) => ({
      name: `operator-crowd${look}`,
      device,
      columns: device === 'phone' ? 5 : 3,
      screens: ['', '-approve', '-reject', '-reader', '-lost'].map((one) => `operator-crowd${one}${look}`),
    })),
  ),
];

/** The sheets of the tests' screenshots. @returns {AsyncGenerator<Sheet>} */
export async function* shotsOfTests() {
  const folder = await mkdtemp(join(tmpdir(), 'hype-shots-'));
  try {
    const env = { ...process.env, HYPE_PAGE_SHOTS: folder, HYPE_PROVE: '1' };
    const args = ['--test', '--test-concurrency=1', `--test-name-pattern=${NEEDED}`, ...TESTS];
    await promisify(execFile)(process.execPath, args, { cwd: PAGE, env, maxBuffer: 64 * 1024 * 1024 });
    const taken = new Set(await readdir(folder));
    for (const { name, device, columns, screens } of SHEETS) {
      /** @type {Shot[]} */
      const shots = [];
      for (const screen of screens) {
        const file = `${screen}-${device}.png`;
        if (!taken.has(file)) throw new Error(`no test has taken ${file}`);
        shots.push({ caption: screen, png: await readFile(join(folder, file)) });
      }
      yield { name: `${name}-${device}`, shots, columns };
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
