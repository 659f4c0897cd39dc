/**
 * Measures the page and jsPsych side by side, in one browser and in turns, and prints a table.
 *
 * Options: `--trials N` for each page and load (60), `--batch N` trials in one turn (20), `--calm LOAD` waits until the
 * machine's load average is below LOAD before each turn. Ends with status 1 where the page fails when idle, or where a
 * page that is wrong on purpose is not caught.
 */

import { loadavg } from "node:os";
import { parseArgs } from "node:util";

import { Bench, CHROMIUM, available } from "./bench.js";
import { passes, summary } from "./judge.js";

/** @typedef {import("./bench.js").Batch} Batch */
/** @typedef {import("./bench.js").Condition} Condition */

/** @type {{ name: string, condition: Condition, compared: boolean }[]} */
const ROWS = [
  { name: "hype, idle", condition: { page: "hype", load: "idle", fault: "none" }, compared: true },
  { name: "jsPsych, idle", condition: { page: "jspsych", load: "idle", fault: "none" }, compared: true },
  { name: "hype, busy", condition: { page: "hype", load: "busy", fault: "none" }, compared: true },
  { name: "jsPsych, busy", condition: { page: "jspsych", load: "busy", fault: "none" }, compared: true },
  { name: "wrong: a frame too long", condition: { page: "hype", load: "idle", fault: "long" }, compared: false },
  { name: "wrong: a mask missing", condition: { page: "hype", load: "idle", fault: "missing" }, compared: false },
  { name: "wrong: a blank frame", condition: { page: "hype", load: "idle", fault: "blank" }, compared: false },
];

/** @param {number} part @param {number} whole */
const percent = (part, whole) => (whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`);

/**
 * @param {string} name
 * @param {readonly Batch[]} batches
 */
function row(name, batches) {
  const verdicts = batches.flatMap((batch) => batch.verdicts);
  const all = summary(verdicts);
  const calm = summary(batches.flatMap((batch) => batch.verdicts.filter((_, trial) => batch.calm[trial])));
  const told = batches.flatMap((batch) => batch.told);
  const flagged = told.length === 0 ? "–" : `${told.filter(({ suspect }) => suspect).length} / ${told.filter((one) => "void" in one).length}`;
  return [
    name, all.trials, percent(all.stimuli, all.trials), percent(all.masks, all.ofMasks), all.missing, all.blanks, all.untold, flagged,
    calm.trials, percent(calm.stimuli, calm.trials), percent(calm.masks, calm.ofMasks), passes(all) ? "passes" : "fails",
  ];
}

const HEAD = [
  "page", "trials", "stimuli exact", "masks exact", "missing", "blank", "untold", "suspect / void",
  "trials left alone", "stimuli exact", "masks exact", "verdict",
];

/** @param {number} below */
async function calm(below) {
  while ((loadavg()[0] ?? 0) >= below) await new Promise((resolve) => { setTimeout(resolve, 5000); });
}

async function main() {
  const { values } = parseArgs({ options: { trials: { type: "string" }, batch: { type: "string" }, calm: { type: "string" } } });
  const [trials, batch, below] = [Number(values.trials ?? 60), Number(values.batch ?? 20), Number(values.calm ?? Infinity)];
  if (!available()) {
    console.error(`there is no Chromium at ${CHROMIUM}; HYPE_CHROMIUM says where it is`);
    return 2;
  }
  const bench = await Bench.open();
  /** @type {Map<string, Batch[]>} */
  const batches = new Map(ROWS.map(({ name }) => [name, []]));
  const loads = [];
  let hz = NaN;
  for (let done = 0; done < trials; done += batch) {
    for (const { name, condition, compared } of ROWS) {
      if (!compared && done > 0) continue;
      await calm(below);
      loads.push(loadavg()[0] ?? 0);
      const made = await bench.run(condition, Math.min(batch, trials - done));
      hz = made.hz;
      batches.get(name)?.push(made);
      console.error(`${name}: ${Math.min(done + batch, trials)} trials, load ${loads.at(-1)?.toFixed(2)}`);
    }
  }
  console.log(`Chromium ${bench.version}, ${hz.toFixed(2)} Hz, load average ${Math.min(...loads).toFixed(2)} to ${Math.max(...loads).toFixed(2)}\n`);
  console.log(`| ${HEAD.join(" | ")} |\n|${HEAD.map(() => "---").join("|")}|`);
  for (const [name, made] of batches) console.log(`| ${row(name, made).join(" | ")} |`);
  await bench.close();
  /** @type {(row: typeof ROWS[number]) => boolean} */
  const right = ({ name }) => passes(summary((batches.get(name) ?? []).flatMap(({ verdicts }) => verdicts)));
  const idle = ROWS[0];
  return idle !== undefined && right(idle) && !ROWS.filter(({ compared }) => !compared).some(right) ? 0 : 1;
}

process.exitCode = await main();
