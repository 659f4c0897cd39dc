/**
 * Measures the program's whole page, its presenter and jsPsych alternately in one browser, and prints a table. The
 * program is that of the tests: `HYPE_PROGRAM`, or the one that Cargo built.
 *
 * Options: `--only PATTERN`, the rows whose names match; `--trials N`, undisturbed trials for each page and load (60); `--batch N`, trials in one turn (20);
 * `--turns N`, the most turns for each page and load if too few trials are undisturbed (9); `--calm LOAD` waits until
 * the load average is below LOAD before each turn. Shares are of the images that the screencast saw. The exit status is 1 if the page fails when idle, or if a
 * deliberately wrong page is not caught.
 */

import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';

import { Bench, CHROMIUM, available } from './bench.js';
import { OWED, isWrong, passes, summary } from './judge.js';

/** @typedef {import("./bench.js").Batch} Batch */
/** @typedef {import("./bench.js").Condition} Condition */
/** @typedef {import("./judge.js").TrialVerdict} TrialVerdict */

/** @type {{ name: string, condition: Condition, compared: boolean }[]} */
const ROWS = [
  { name: 'whole page, idle', condition: { page: 'program', load: 'idle', fault: 'none' }, compared: true },
  { name: 'jsPsych, idle', condition: { page: 'jspsych', load: 'idle', fault: 'none' }, compared: true },
  { name: 'whole page, one core busy', condition: { page: 'program', load: 'core', fault: 'none' }, compared: true },
  { name: 'jsPsych, one core busy', condition: { page: 'jspsych', load: 'core', fault: 'none' }, compared: true },
  { name: 'presenter, idle', condition: { page: 'presenter', load: 'idle', fault: 'none' }, compared: true },
  {
    name: 'presenter, main thread busy',
    condition: { page: 'presenter', load: 'busy', fault: 'none' },
    compared: true,
  },
  { name: 'jsPsych, main thread busy', condition: { page: 'jspsych', load: 'busy', fault: 'none' }, compared: true },
  { name: 'wrong: a frame too long', condition: { page: 'presenter', load: 'idle', fault: 'long' }, compared: false },
  { name: 'wrong: a mask missing', condition: { page: 'presenter', load: 'idle', fault: 'missing' }, compared: false },
  { name: 'wrong: a blank frame', condition: { page: 'presenter', load: 'idle', fault: 'blank' }, compared: false },
];

/** @param {number} part @param {number} whole */
const percent = (part, whole) => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`);

/** The share of exact images that a condition requires. @param {Condition} condition */
const owed = ({ load }) => (load === 'idle' ? OWED.idle : OWED.busy);

/** @param {readonly Batch[]} batches */
const all = (batches) => batches.flatMap(({ verdicts }) => verdicts);

/** @param {readonly Batch[]} batches */
const undisturbed = (batches) => batches.flatMap(({ verdicts, calm }) => verdicts.filter((_, trial) => calm[trial]));

const HEAD = [
  'page, main thread',
  'undisturbed trials',
  'stimuli exact',
  'masks exact',
  'missing',
  'blank',
  'unknown',
  'verdict',
  'of all trials',
  'stimuli exact',
  'masks exact',
  'suspect / void',
  'wrong, not marked',
];

/** The trials with something wrong on the screen that the page neither marked nor declared void. @param {Batch} batch */
const unmarked = ({ verdicts, told }) =>
  verdicts.filter((verdict, trial) => isWrong(verdict) && !told[trial]?.suspect && !('void' in (told[trial] ?? {})));

/** The frames of a trial's images as they were seen, each with its verdict. @param {TrialVerdict} trial */
const described = ({ stimulus, masks, blanks, ordered }) =>
  [stimulus, ...masks].map(({ verdict, frames }) => `${frames} ${verdict}`).join(', ') +
  (blanks > 0 ? `, ${blanks} blank` : '') +
  (ordered ? '' : ', out of order');

/**
 * @param {{ name: string, condition: Condition, batches: readonly Batch[] }} row
 */
function row({ name, condition, batches }) {
  const [calm, whole] = [summary(undisturbed(batches)), summary(all(batches))];
  const told = batches.flatMap((batch) => batch.told);
  const flagged =
    told.length === 0
      ? '–'
      : `${told.filter(({ suspect }) => suspect).length} / ${told.filter((one) => 'void' in one).length}`;
  return [
    name,
    calm.trials,
    percent(calm.stimuli, calm.ofStimuli),
    percent(calm.masks, calm.ofMasks),
    calm.missing,
    calm.blanks,
    calm.unknown,
    calm.trials === 0 ? 'inconclusive' : passes(calm, owed(condition)) ? 'passes' : 'fails',
    whole.trials,
    percent(whole.stimuli, whole.ofStimuli),
    percent(whole.masks, whole.ofMasks),
    flagged,
    told.length === 0 ? '–' : batches.flatMap(unmarked).length,
  ];
}

/** @param {number} below */
async function calm(below) {
  while ((loadavg()[0] ?? 0) >= below)
    await new Promise((resolve) => {
      setTimeout(resolve, 5000);
    });
}

async function main() {
  const { values } = parseArgs({
    options: {
      trials: { type: 'string' },
      batch: { type: 'string' },
      turns: { type: 'string' },
      calm: { type: 'string' },
      only: { type: 'string' },
    },
  });
  const [trials, batch, turns] = [Number(values.trials ?? 60), Number(values.batch ?? 20), Number(values.turns ?? 9)];
  if (!available()) {
    console.error(`there is no Chromium at ${CHROMIUM}; set HYPE_CHROMIUM to its path`);
    return 2;
  }
  const bench = await Bench.open();
  const rows = ROWS.filter(({ name }) => new RegExp(values.only ?? '').test(name)).map((row) => ({
    ...row,
    batches: /** @type {Batch[]} */ ([]),
  }));
  const loads = [];
  let hz = NaN;
  for (let turn = 0; turn < turns; turn += 1) {
    for (const { name, condition, compared, batches } of rows) {
      const wanted = (compared ? trials : Math.min(trials, batch / 2)) - undisturbed(batches).length;
      if (wanted <= 0) continue;
      await calm(Number(values.calm ?? Infinity));
      loads.push(loadavg()[0] ?? 0);
      const made = await bench.run(condition, batch);
      hz = made.hz;
      batches.push(made);
      console.error(
        `${name}: ${undisturbed(batches).length} of ${all(batches).length} undisturbed trials, load average ${loads.at(-1)?.toFixed(2)}`,
      );
      for (const trial of made.told.length === 0 ? [] : unmarked(made))
        console.error(`  not marked: ${described(trial)}`);
    }
  }
  console.log(
    `Chromium ${bench.version}, ${hz.toFixed(2)} Hz, load average ${Math.min(...loads).toFixed(2)} to ${Math.max(...loads).toFixed(2)}\n`,
  );
  console.log(`| ${HEAD.join(' | ')} |\n|${HEAD.map(() => '---').join('|')}|`);
  for (const measured of rows) console.log(`| ${row(measured).join(' | ')} |`);
  await bench.close();
  const right = rows
    .filter(({ condition, batches }) => {
      const calm = undisturbed(batches);
      return calm.length > 0 && passes(summary(calm), owed(condition));
    })
    .map(({ name }) => name);
  const wrong = rows.filter(({ compared }) => !compared).map(({ name }) => name);
  return right.includes('whole page, idle') && !wrong.some((name) => right.includes(name)) ? 0 : 1;
}

process.exitCode = await main();
