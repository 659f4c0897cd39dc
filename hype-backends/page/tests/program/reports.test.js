// Reports in a browser: nothing is asked for, nothing overlaps or leaves its figure, at several widths, light and dark. In `./test` they
// are those with figures of their own, and those on which the most can go wrong.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { flat } from '../../timing/png.js';
import { examine } from '../browser/axe.js';
import { Raters, isTooWide } from '../browser/raters.js';
import { sized } from '../size.js';
import { built, builtWithBoards, runProgram } from './program.js';

/**
 * @import { Page } from "playwright-core"
 */

const EXAMPLES = fileURLToPath(new URL('../../../../examples/studies', import.meta.url));

/** Example studies. */
const STUDIES = sized(
  readdirSync(EXAMPLES)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length)),
  ['imagenhub-editing', 'metrics'],
);

/** Where data lie that the repository does not have; tests of them are skipped where they are missing. */
const REFERENCE =
  process.env['HYPE_REFERENCE'] ?? fileURLToPath(new URL('../../../../../shared/reference', import.meta.url));

/**
 * Released ratings of people by name: their file, how it is imported, and how it is aggregated.
 * @type {Record<string, { file: string, importing?: [string, ...string[]], aggregating: string[] }>}
 */
const RELEASED = {
  ffhq256: {
    file: 'hype_infinity/ffhq256.csv',
    aggregating: ['--rater', 'id', '--value', 'err_rt', '--unit', 'proportion'],
  },
  cifar10: {
    file: 'hype_infinity/cifar10.csv',
    aggregating: ['--rater', 'id', '--value', 'err_rt', '--unit', 'proportion'],
  },
  imagenhub: {
    file: 'imagenhub/Text-To-Image',
    importing: ['imagenhub'],
    aggregating: ['--measure', 'measure', '--item', 'item', '--with', 'imagenhub'],
  },
  likert: {
    file: 'likert/tifa160_likert.csv',
    aggregating: ['--item', 'item', '--value', 'answer', '--design', 'within'],
  },
  'parti-prompts': {
    file: 'pairwise/PartiPromptsAllDecisions_Alignment.tsv',
    importing: ['votes', '--item', 'Prompt', '--decisions', 'Decisions', '--compare', 'gen,ret'],
    aggregating: ['--measure', 'measure', '--item', 'item', '--with', 'contrast'],
  },
};

/** The narrowest and the widest, and in proofs one between them. */
const WIDTHS = sized([390, 800, 1280], [390, 1280]);

/** Names in every script, long names, and names with markup. */
const NAMES = [
  '<script>alert(1)</script>',
  'a & b "c" \'d\'',
  'モデル生成',
  'نموذج توليدي मॉडल',
  `</svg></style>{}$%_#~^\\${'ж'.repeat(200)}`,
  'a very long name of a model with many words, '.repeat(4).trim(),
];

/**
 * A table of scores: one row for each rater and model, with fixed values.
 * @param {string[]} models
 * @param {number} raters
 * @param {(rater: number, model: number) => boolean} [isThere]
 */
function scores(models, raters, isThere = () => true) {
  const cell = (/** @type {string} */ text) => `"${text.replaceAll('"', '""')}"`;
  const rows = ['rater,model,value'];
  for (const [at, model] of models.entries()) {
    for (let rater = 0; rater < raters; rater += 1) {
      const spread = ((rater * 0.618034 + at * 0.414214) % 1) - 0.5;
      if (isThere(rater, at)) rows.push(`r${rater},${cell(model)},${0.9 - (0.7 * at) / models.length + 0.1 * spread}`);
    }
  }
  return `${rows.join('\n')}\n`;
}

/** Degraded tables by name. @type {Record<string, string>} */
const TABLES = {
  'one-model': scores(['alone'], 12),
  'two-models': scores(['better', 'worse'], 30),
  'two-raters': scores(['a', 'b', 'c'], 2),
  'two-hundred-models': scores(
    Array.from({ length: 200 }, (_, at) => `model ${at}`),
    3,
  ),
  'ten-thousand-raters': scores(['a', 'b'], 10_000),
  'missing-cells': scores(['a', 'b', 'c', 'd'], 9, (rater, model) => (rater + model) % 3 > 0),
  names: scores(NAMES, 10),
};

/** Names that a spec allows: without slashes and backslashes. */
const MODELS = NAMES.map((name) => name.replaceAll(/[/\\]/g, '|'));
const MANY = Array.from({ length: 200 }, (_, at) => `model ${at}`);
const LEVELS = ['<b>', 'ليمون', 'レモン & "c"', 'a level with a long name, '.repeat(6).trim()];
const NOBODY = { qualification: null };

/**
 * Degraded studies by name: their sets of stimuli, each a model, and perhaps levels, with its number of images; and the rest of their
 * specs.
 * @type {Record<string, { models: string[], levels?: string[], images: number, real?: boolean, spec: Record<string, unknown> }>}
 */
const DEGRADED = {
  'staircases of names': {
    models: MODELS,
    images: 10,
    real: true,
    spec: { task: { kind: 'hype_time', blocks: 1, trials_per_block: 20 }, raters: { per_model: 3, ...NOBODY } },
  },
  'errors of names': {
    models: MODELS,
    images: 12,
    real: true,
    spec: { task: { kind: 'hype_infinity', generated: 10, real: 10 }, raters: { per_model: 9, ...NOBODY } },
  },
  'errors of 200 models': {
    models: MANY,
    images: 5,
    real: true,
    spec: { task: { kind: 'hype_infinity', generated: 5, real: 5 }, raters: { per_model: 2, ...NOBODY } },
  },
  'pairs of real and named': {
    models: MODELS,
    images: 12,
    real: true,
    spec: { task: { kind: 'fooling', trials: 10, practice: 0 }, raters: { per_model: 3 } },
  },
  'votes on names': {
    models: MODELS,
    images: 6,
    spec: { items: { match: 'name' }, task: { kind: 'contrast' }, raters: { per_item: 3 } },
  },
  'votes on 200 models': {
    models: MANY,
    images: 2,
    spec: { items: { match: 'name' }, task: { kind: 'contrast' }, raters: { per_item: 1 } },
  },
  'named levels': {
    models: MODELS.slice(0, 4),
    levels: LEVELS,
    images: 5,
    real: true,
    spec: {
      facets: { level: { kind: 'category' } },
      task: { kind: 'hype_infinity', generated: 5, real: 5 },
      raters: { per_model: 4, ...NOBODY },
      aggregate: { kind: 'by_facet', within: 'level' },
    },
  },
  'levels of 30 models': {
    models: MANY.slice(0, 30),
    levels: ['one', 'two'],
    images: 4,
    real: true,
    spec: {
      facets: { level: { kind: 'category' } },
      task: { kind: 'hype_infinity', generated: 4, real: 4 },
      raters: { per_model: 2, ...NOBODY },
      aggregate: { kind: 'by_facet', within: 'level' },
    },
  },
  'trends of names': {
    models: MODELS,
    levels: ['1', '10', '100'],
    images: 5,
    real: true,
    spec: {
      facets: { level: { kind: 'number', scale: 'log' } },
      task: { kind: 'hype_infinity', generated: 5, real: 5 },
      raters: { per_model: 4, ...NOBODY },
      aggregate: { kind: 'trend', along: 'level' },
    },
  },
};

/** The degraded tables and studies of `./test`. */
const HARD = ['missing-cells', 'votes on names'];

/**
 * The designs whose reports go into papers: the parts of their specs other than models.
 * @type {Record<string, { real?: boolean, spec: Record<string, unknown> }>}
 */
const DESIGNS = {
  'hype-time': {
    real: true,
    spec: { task: { kind: 'hype_time', blocks: 1, trials_per_block: 60 }, raters: { per_model: 30, ...NOBODY } },
  },
  heim: {
    spec: {
      items: { table: 'items.csv' },
      task: { kind: 'rating', conditions: ['prompt'], per_session: 40 },
      rubric: { kind: 'heim.image', aspects: ['alignment', 'subject_clarity', 'aesthetics', 'originality'] },
      raters: { per_item: 5 },
    },
  },
  'three criteria': {
    spec: {
      items: { table: 'items.csv' },
      task: {
        kind: 'contrast',
        criteria: [
          'realism',
          { name: 'fit', question: 'Which image fits its description better?', tie: true },
          { name: 'quality', grades: 'ccr' },
        ],
        per_session: 40,
      },
      raters: { per_item: 3 },
    },
  },
  'hype-infinity': {
    real: true,
    spec: { task: { kind: 'hype_infinity', generated: 10, real: 10 }, raters: { per_model: 20, ...NOBODY } },
  },
  imagenhub: {
    spec: {
      items: { table: 'items.csv' },
      task: { kind: 'rating', per_session: 40 },
      rubric: { kind: 'imagenhub.text_guided_generation' },
      raters: { per_item: 3 },
    },
  },
  ranking: {
    spec: {
      items: { match: 'name' },
      task: { kind: 'ranking', models_per_trial: 3, ties: true },
      raters: { per_item: 5 },
    },
  },
};

/** Tiny images, each of another colour. @param {string} folder @param {number} count @param {number} first */
async function drawImages(folder, count, first) {
  await mkdir(folder, { recursive: true });
  for (let at = 0; at < count; at += 1) {
    const number = first + at;
    const image = flat(8, 8, [number & 255, (number >> 8) & 255, 128]);
    await writeFile(join(folder, `${String(at).padStart(3, '0')}.png`), image);
  }
}

/** Writes a degraded study and its images into a folder. @param {string} folder @param {string} name @param {typeof DEGRADED[string]} study */
async function writeDegraded(folder, name, { models, levels, images, real, spec }) {
  const pattern = levels === undefined ? '*.png' : '{level}/*.png';
  /** @type {Record<string, unknown>} */
  const stimuli = {};
  let drawn = 0;
  const sets = [...(real ? ['real'] : []), ...models];
  for (const [at, model] of sets.entries()) {
    for (const level of levels ?? ['']) {
      await drawImages(join(folder, 'images', `${at}`, level), images, drawn);
      drawn += images;
    }
    stimuli[model] = { role: model === 'real' ? 'real' : 'generated', images: `images/${at}/${pattern}` };
  }
  const items = Array.from({ length: images }, (_, at) => `${String(at).padStart(3, '0')},a still life ${at}\n`);
  await writeFile(join(folder, 'items.csv'), `item,prompt\n${items.join('')}`);
  const file = join(folder, 'evaluation.yaml');
  // JSON is valid YAML.
  await writeFile(file, JSON.stringify({ name, seed: 1, stimuli, simulate: { kind: 'synthetic' }, ...spec }));
  return file;
}

/** The findings that a board reads: the measure of votes. */
const measure = { name: 'strength', label: 'strength', unit: 'log-odds', direction: 'higher' };
const FOUND = { measure, raters: 60, items: 1, responses: 1, estimates: [], tests: [], comparisons: [] };
const FINDINGS = JSON.stringify({ format: 1, software: 'hype', exclusions: [], notes: [], measures: [FOUND] });

/** A table of votes, in which better models win three of four. @param {string[]} models the best first */
function votes(models) {
  const rows = ['rater,model,against,item,block,measure,value'];
  const each = Math.max(20, models.length);
  for (let at = 0; at < 60 * each; at += 1) {
    const first = at % models.length;
    const second = (first + 1 + (Math.floor(at / models.length) % (models.length - 1))) % models.length;
    const won = first < second === (Math.imul(at + 1, 0x9e3779b9) >>> 8) % 4 > 0;
    const rater = String(Math.floor(at / each) + 1).padStart(3, '0');
    rows.push(
      `rater-${rater},${models[first]},${models[second]},000${1 + (Math.floor(at / 3) % 2)},0,preference,${won ? 1 : 0}`,
    );
  }
  return `${rows.join('\n')}\n`;
}

/** Writes a board of two waves, the second with a new model. @param {string} board @param {number} count of models */
async function writeBoard(board, count) {
  const names = Array.from({ length: count }, (_, at) => `model-${at + 1}`);
  names[1] = 'a-model-whose-name-is-as-long-as-names-can-be.'.padEnd(60, '1');
  const last = /** @type {string} */ (names.at(-1));
  /** @param {string} file @param {unknown} value */
  const write = async (file, value) => {
    await mkdir(join(board, file, '..'), { recursive: true });
    await writeFile(join(board, file), typeof value === 'string' ? value : JSON.stringify(value));
  };
  for (const [at, name] of names.entries()) {
    const maker = MODELS[at % MODELS.length];
    const model = { name, alias: name, maker, visibility: 'public', date: '2026-01-01', files: {} };
    await write(`submissions/${name}/submission.json`, model);
  }
  const anchors = names.slice(0, 8).filter((name) => name !== last);
  const study = { task: { kind: 'contrast' } };
  await write('board.yaml', { name: 'Still lifes', items: 'items.csv', anchors, study, rules: ['One.', 'Two.'] });
  await write('items.csv', 'item,prompt,scene\n0001,a,indoors\n0002,b,on a beach at night\n');
  const waves = [names.slice(0, -1), [...anchors, last]];
  for (const [at, models] of waves.entries()) {
    const folder = `waves/00${at + 1}`;
    const texts = { 'scores.csv': votes(models), 'findings.json': FINDINGS, 'datapackage.json': '{}' };
    const digests = Object.entries(texts).map(([name, text]) => [name, hash('sha256', text)]);
    const of = { anchors, new: models.filter((name) => !anchors.includes(name)), simulated: true };
    const released = { closed: `2026-0${at + 1}-28`, files: Object.fromEntries(digests), ...of };
    await write(`${folder}/wave.json`, { number: at + 1, begun: '2026-01-01', ...released });
    for (const [name, text] of Object.entries(texts)) await write(`${folder}/package/${name}`, text);
  }
}

/**
 * What is wrong with the figures of a page: texts on texts, and what lies outside of its figure.
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
function faultsOfFigures(page) {
  return page.evaluate(() => {
    /** @type {string[]} */
    const faults = [];
    for (const svg of document.querySelectorAll('svg')) {
      const name = svg.querySelector('title')?.id ?? '';
      const around = svg.getBoundingClientRect();
      // One of two layouts is hidden.
      if (around.width === 0) continue;
      const scale = around.width / svg.viewBox.baseVal.width;
      /** @param {Element} element */
      const boxOf = (element) => {
        const { left, top, right, bottom } = element.getBoundingClientRect();
        return {
          left: (left - around.left) / scale,
          top: (top - around.top) / scale,
          right: (right - around.left) / scale,
          bottom: (bottom - around.top) / scale,
        };
      };
      const { width, height } = svg.viewBox.baseVal;
      for (const shape of svg.querySelectorAll('text, rect, circle, path, image')) {
        const { left, top, right, bottom } = boxOf(shape);
        // Browsers round letters to pixels, and a figure that is drawn smaller has fewer.
        const pixel = Math.max(1, 1 / scale);
        if (left < -pixel || top < -pixel || right > width + pixel || bottom > height + pixel) {
          const what = shape.textContent || shape.outerHTML.slice(0, 80);
          faults.push(`${name}: outside, at ${[left, top, right, bottom].map(Math.round)}: ${what}`);
        }
      }
      const texts = [...svg.querySelectorAll('text')].map((text) => {
        const written = [...text.childNodes].find((node) => node.nodeType === Node.TEXT_NODE)?.textContent ?? '';
        return { written, box: boxOf(text) };
      });
      for (const [at, one] of texts.entries()) {
        for (const other of texts.slice(at + 1)) {
          const across = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
          const down = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
          // Boxes have room for accents and descenders that most texts do not use.
          if (across > 1 && down > 3) faults.push(`${name}: "${one.written}" is on "${other.written}"`);
        }
      }
    }
    return faults;
  });
}

/**
 * What is wrong with the first screen of a report at 1280 pixels: the result and its figure stand on it, after few words.
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
function faultsOfFirstScreen(page) {
  return page.evaluate(() => {
    /** @type {string[]} */
    const faults = [];
    const figure = document.querySelector('section.first figure svg');
    if (figure === null) return faults;
    const { top, bottom } = figure.getBoundingClientRect();
    if (top > 260) faults.push(`the first figure begins at ${top}`);
    if (bottom > 600) faults.push(`the first figure ends at ${bottom}`);
    const words = (document.querySelector('header')?.innerText ?? '').split(/\s+/).length;
    if (words > 80) faults.push(`${words} words stand before the first figure`);
    for (const raw of ['preferred:', '(natural logarithm)', '_ms', 'NaN']) {
      if (document.body.innerText.includes(raw)) faults.push(`the page has the raw text ${raw}`);
    }
    return faults;
  });
}

describe('reports in a browser', { ...built, concurrency: 2 }, () => {
  /** @type {string} */
  let folder;
  /** @type {Raters} */
  let browser;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hype-reports-'));
    browser = await Raters.open();
  });
  after(async () => {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  });

  /**
   * What is wrong with the figures of a report in its folder.
   * @param {string} report
   * @param {string} name
   * @param {number[]} [widths]
   */
  async function faultsOfReport(report, name, widths = WIDTHS) {
    const context = await browser.browser.newContext();
    /** @type {string[]} */
    const heard = [];
    const page = await context.newPage();
    page.on('console', (message) => heard.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => heard.push(`error: ${error.message}`));
    page.on('dialog', (dialog) => heard.push(`dialog: ${dialog.message()}`));
    const address = pathToFileURL(join(report, 'index.html')).href;
    page.on('request', (request) => {
      if (request.url() !== address && !request.url().startsWith('data:')) heard.push(`request: ${request.url()}`);
    });
    await page.goto(address);
    assert.ok((await page.locator('svg').count()) > 0, `${name} has no figure`);
    /** @type {string[]} */
    const faults = [];
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      const found = await faultsOfFigures(page);
      if (await isTooWide(page)) found.push('the page is too wide');
      if (width === 1280) found.push(...(await faultsOfFirstScreen(page)));
      faults.push(...found.map((fault) => `${width} pixels: ${fault}`));
      // Colours are the same at every width.
      const colorScheme = width === widths[0] ? 'light' : 'dark';
      await page.emulateMedia({ colorScheme });
      await examine(page, `report-${name}-${width}-${colorScheme}`);
    }
    assert.equal(await page.locator('svg image, img').evaluateAll((all) => all.length), await shownImages(page), name);
    assert.deepEqual(heard, [], name);
    await context.close();
    faults.push(...(await faultsOfFiles(join(report, 'figures'))));
    return faults;
  }

  /** The faults of the drawings of a folder, each taken alone. @param {string} figures */
  async function faultsOfFiles(figures) {
    const context = await browser.browser.newContext();
    const page = await context.newPage();
    /** @type {string[]} */
    const faults = [];
    for (const file of await readdir(figures)) {
      if (!file.endsWith('.svg')) continue;
      await page.goto(pathToFileURL(join(figures, file)).href);
      faults.push(...(await faultsOfFigures(page)).map((fault) => `${file}: ${fault}`));
    }
    await context.close();
    return faults;
  }

  /** The number of embedded images that a browser can decode. @param {Page} page */
  const shownImages = (page) =>
    page.locator('svg image').evaluateAll(async (all) => {
      const decoded = all.map(async (image) => {
        const copy = new Image();
        copy.src = image.getAttribute('href') ?? '';
        await copy.decode();
        return copy.naturalWidth > 0;
      });
      return (await Promise.all(decoded)).filter(Boolean).length;
    });

  for (const study of STUDIES) {
    test(study, async () => {
      const kept = join(folder, study);
      const options = ['--simulate', '--study', kept, '--progress', 'none'];
      await runProgram(['run', join(EXAMPLES, `${study}.yaml`), ...options]);
      assert.deepEqual(await faultsOfReport(join(kept, 'report'), study), []);
    });
  }

  for (const [name, { file, importing, aggregating }] of sized(Object.entries(RELEASED), [])) {
    const released = join(REFERENCE, file);
    const skip = existsSync(released) ? false : `no reference data at ${released}`;
    test(`released: ${name}`, { skip }, async () => {
      const [scores, report] = [join(folder, `${name}.csv`), join(folder, name)];
      if (importing) await runProgram(['import', importing[0], released, ...importing.slice(1), '-o', scores]);
      await runProgram(['aggregate', importing ? scores : released, ...aggregating, '--figures', report]);
      assert.deepEqual(await faultsOfReport(report, name), []);
    });
  }

  for (const [name, table] of Object.entries(TABLES)) {
    if (!sized(true, HARD.includes(name))) continue;
    test(`degraded: ${name}`, async () => {
      const [file, report] = [join(folder, `${name}.csv`), join(folder, name)];
      await writeFile(file, table);
      await runProgram(['aggregate', file, '--figures', report]);
      assert.deepEqual(await faultsOfReport(report, name), []);
    });
  }

  for (const [name, study] of Object.entries(DEGRADED)) {
    if (!sized(true, HARD.includes(name))) continue;
    test(`degraded: ${name}`, async () => {
      const own = await mkdtemp(join(folder, 'degraded-'));
      const kept = join(own, 'kept');
      await runProgram([
        'run',
        await writeDegraded(own, name, study),
        '--simulate',
        '--study',
        kept,
        '--progress',
        'none',
      ]);
      // Pages with hundreds of figures, or with tens of thousands of cells, are looked at once.
      const widths = study.models.length > 100 ? [800] : WIDTHS;
      assert.deepEqual(await faultsOfReport(join(kept, 'report'), name.replaceAll(' ', '-'), widths), []);
    });
  }

  // The designs that go into papers, with few and many models, on the page and as they are exported.
  for (const [name, design] of sized(Object.entries(DESIGNS), [])) {
    for (const count of [3, 12, 40]) {
      test(`${name}: ${count} models`, async () => {
        const own = await mkdtemp(join(folder, 'design-'));
        const kept = join(own, 'kept');
        const models = Array.from({ length: count }, (_, at) => `diffusion ${at + 1}`);
        /** @param {number} at */
        const observer = (at) => {
          const quality = 0.8 - (0.5 * at) / count;
          if (name === 'hype-time') return { threshold_ms: Math.round(120 + 400 * quality) };
          if (name === 'hype-infinity') return { untimed: { fakes_error: quality / 2, reals_error: 0.2 } };
          return { quality };
        };
        const observers = Object.fromEntries(models.map((model, at) => [model, observer(at)]));
        const spec = { ...design.spec, simulate: { kind: 'synthetic', observers } };
        const file = await writeDegraded(own, `${name} of ${count}`, { ...design, models, images: 40, spec });
        await runProgram(['run', file, '--simulate', '--study', kept, '--progress', 'none']);
        const faults = await faultsOfReport(
          join(kept, 'report'),
          `${name}-${count}`.replaceAll(' ', '-'),
          [390, 768, 1280],
        );
        for (const venue of ['cvpr', 'cvpr:full', 'nature', 'neurips']) {
          const exported = join(own, venue.replace(':', '-'));
          await runProgram(['report', kept, '--export', exported, '--width', venue, '--format', 'svg']);
          faults.push(...(await faultsOfFiles(exported)).map((fault) => `${venue}: ${fault}`));
        }
        assert.deepEqual(faults, []);
      });
    }
  }

  for (const count of sized([3, 40, 300], [40])) {
    test(`board of ${count} models`, builtWithBoards, async () => {
      const board = join(folder, `board-${count}`);
      await writeBoard(board, count);
      await runProgram(['board', 'publish', board]);
      await mkdir(join(board, 'site/figures'));
      assert.deepEqual(await faultsOfReport(join(board, 'site'), `board-${count}`, [390, 768, 1280]), []);
    });
  }

  test('degraded: names in a page that is written from right to left', async () => {
    const own = await mkdtemp(join(folder, 'degraded-'));
    const kept = join(own, 'kept');
    const study = /** @type {typeof DEGRADED[string]} */ (DEGRADED['named levels']);
    await runProgram([
      'run',
      await writeDegraded(own, 'right to left', study),
      '--simulate',
      '--study',
      kept,
      '--progress',
      'none',
    ]);
    const report = join(own, 'arabic');
    await runProgram(['report', kept, '-o', report, '--language', 'ar']);
    assert.deepEqual(await faultsOfReport(report, 'right-to-left'), []);
  });
});
