// Runs the program on a study made for a test: starts, kills and restarts it, and reads its log.

import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PATIENCE } from '../browser/raters.js';
import { FOLDER } from '../browser/shots.js';
import { draw } from '../mock/pictures.js';
import { readLog } from './log.js';

/**
 * @import { ChildProcess } from "node:child_process"
 * @import { Kept } from "./log.js"
 */

/** The kind of a backend. @typedef {"web" | "local" | "prolific" | "mturk" | "panel"} Backend */

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const BUILT = join(process.env['CARGO_TARGET_DIR'] ?? join(ROOT, 'target'), 'debug', 'hype');

/** The program under test: `HYPE_PROGRAM`, or the one that Cargo built. */
const PROGRAM = process.env['HYPE_PROGRAM'] ?? BUILT;

/** Options for tests that need the program: they are skipped with a message if it is neither named nor built. */
export const built = {
  skip:
    process.env['HYPE_PROGRAM'] === undefined && !existsSync(BUILT)
      ? 'needs the program: `cargo build --bin hype`, or name it in HYPE_PROGRAM'
      : false,
};

/** Options for tests that need a program with fakes of platforms. */
export const builtWithFakes = {
  skip:
    built.skip ||
    (!execFileSync(PROGRAM, ['run', '--help'], { encoding: 'utf8' }).includes('--fake')
      ? 'needs a program with fakes: `cargo build --bin hype --features fakes`'
      : false),
};

/** Options for tests that need a program with boards. */
export const builtWithBoards = {
  skip:
    built.skip ||
    (!/^ +board /m.test(execFileSync(PROGRAM, ['--help'], { encoding: 'utf8' }))
      ? 'needs a program with boards: `cargo build --bin hype --features board`'
      : false),
};

/** The sides of the images, in pixels: small ones are fast to draw, large ones are for screenshots. */
const SIDE = FOLDER === undefined ? 64 : 160;
/** The number of images of each set. */
const IMAGES = 12;

const run = promisify(execFile);

/** Runs the program to its end. @param {string[]} what its arguments */
export const runProgram = (what) => run(PROGRAM, what, { maxBuffer: 2 ** 26 });

/** Running programs, none of which outlives its test. @type {Set<ChildProcess>} */
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A folder of studies that share images, which the program has drawn. */
export class Studies {
  /** @type {Program[]} */
  #served = [];

  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder;
  }

  /** Draws the images: four sets by the program, a region to edit and a drawing to follow. @param {number} [side] in pixels */
  static async draw(side = SIDE) {
    const folder = await mkdtemp(join(tmpdir(), 'hype-page-'));
    const drawn = join(folder, 'drawn');
    const size = ['--images', String(IMAGES), '--size', String(side)];
    await run(PROGRAM, ['new', drawn, '--task', 'hype-infinity', '--seed', '5', ...size]);
    await writeFile(join(drawn, 'region.png'), draw('region', 3, { width: side, height: side }));
    await writeFile(join(drawn, 'edges.png'), draw('edges', 3, { width: side, height: side }));
    return new Studies(folder);
  }

  /**
   * Serves a study. Its images are those of `../drawn`.
   * @param {Record<string, unknown> & { name: string }} study the spec, without its backend
   * @param {Record<string, unknown>} [page] settings of the page
   * @param {Backend} [kind] the backend
   * @param {Record<string, unknown>} [more] other settings of the backend
   * @param {number} [people] how many people begin before synthetic ones come through a fake platform
   */
  async serve(study, page = {}, kind = 'web', more = {}, people = 0) {
    const folder = await mkdtemp(join(this.folder, `${study.name}-`));
    const program = new Program(join(folder, 'evaluation.yaml'), study, page, kind, more, people);
    this.#served.push(program);
    await program.start();
    return program;
  }

  /** Stops every program, and removes everything. */
  async close() {
    for (const program of this.#served) await program.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** One study, and the process that serves it. */
export class Program {
  /** @type {ChildProcess | null} */
  #child = null;
  /** What the process wrote. */
  #said = '';
  /** The address of the page. */
  raters = '';
  /** The address of the fake platform; empty without one. */
  platform = '';
  /** The address of the operator's page. */
  operator = '';
  /** The same with the key that allows only to look. */
  reader = '';

  /**
   * @param {string} spec the file to write the spec to
   * @param {Record<string, unknown> & { name: string }} study
   * @param {Record<string, unknown>} page
   * @param {Backend} kind
   * @param {Record<string, unknown>} [more]
   * @param {number} [people]
   */
  constructor(spec, study, page, kind, more = {}, people = 0) {
    this.spec = spec;
    this.study = study;
    this.page = page;
    this.kind = kind;
    this.more = more;
    this.people = people;
  }

  /** Whether raters come through a platform that has a fake. */
  get #recruits() {
    return !['web', 'local'].includes(this.kind);
  }

  /** Starts the program: on any free port the first time, and on the same port afterwards. */
  async start() {
    const listen = this.raters === '' ? `127.0.0.1:${await this.#port()}` : new URL(this.raters).host;
    const page = { ...this.page, listen };
    const settings = this.kind === 'web' ? page : { page };
    const study = { ...this.study, backend: { kind: this.kind, ...settings, ...this.more } };
    // JSON is valid YAML.
    await writeFile(this.spec, JSON.stringify(study));
    const fake = this.#recruits ? ['--fake', '--after', String(this.people)] : [];
    const child = spawn(PROGRAM, ['run', this.spec, '--progress', 'json', ...fake], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    running.add(child);
    child.once('exit', () => running.delete(child));
    child.stdout.on('data', (said) => (this.#said += said));
    const lines = createInterface({ input: child.stderr });
    await new Promise((resolve, reject) => {
      lines.on('line', (line) => {
        this.#said += `${line}\n`;
        this.platform ||= /the platform is a fake at (\S+),/.exec(line)?.[1] ?? '';
        if (!line.startsWith('{')) return;
        const { raters, operator, reader } = JSON.parse(line);
        if (raters === undefined) return;
        this.raters = raters;
        this.operator = operator;
        this.reader = reader;
        resolve(undefined);
      });
      child.once('exit', (code, signal) => reject(new Error(`${code ?? signal}: ${this.#said}`)));
      child.once('error', reject);
    });
  }

  /** A port that the page's own choice finds; a platform has to know it before the page is there. */
  async #port() {
    if (!this.#recruits) return 0;
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    server.close();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  }

  /** Kills the program as a power cut would. */
  async kill() {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** Stops the program with a signal, as its user would, if it is running. */
  async stop() {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGINT');
    const late = setTimeout(() => child.kill('SIGKILL'), 5_000);
    await gone;
    clearTimeout(late);
  }

  /**
   * Waits until the program ends by itself, and returns its output.
   * @returns {Promise<{ code: number | null, said: string }>}
   */
  async ended() {
    const child = this.#child;
    if (child !== null && child.exitCode === null && child.signalCode === null) {
      await once(child, 'exit', { signal: AbortSignal.timeout(2 * PATIENCE) });
    }
    return { code: child?.exitCode ?? null, said: this.#said };
  }

  /** The findings so far. @returns {Promise<any>} */
  async findings() {
    const { stdout } = await run(PROGRAM, ['score', this.spec, '--json']);
    return JSON.parse(stdout);
  }

  /** What operators did. @returns {Promise<any[]>} */
  async actions() {
    const { stdout } = await run(PROGRAM, ['operator', this.spec, 'log', '--json']);
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  /** What a study that recruits would create and cost. @returns {Promise<any>} */
  async plan() {
    const { stdout } = await run(PROGRAM, ['crowd', 'plan', this.spec, '--json', '--cohort', '4']);
    return JSON.parse(stdout);
  }

  /** The ledger of a study that recruits. @returns {Promise<any>} */
  async ledger() {
    const { stdout } = await run(PROGRAM, ['crowd', 'ledger', this.spec, '--json']);
    return JSON.parse(stdout);
  }

  /** Acts from the command line, while the program runs. @param {...string} what */
  async act(...what) {
    const { stdout } = await run(PROGRAM, ['operator', this.spec, ...what]);
    return stdout;
  }

  /** The log of every session, from the program's export. @returns {Promise<Kept[]>} */
  async log() {
    const { stdout } = await run(PROGRAM, ['export', this.spec, '--what', 'events', '--format', 'jsonl'], {
      maxBuffer: 64 * 1024 * 1024,
    });
    return readLog(stdout);
  }

  /**
   * The program's check of the study.
   * @returns {Promise<{ code: string, message: string, help: string | null }[]>}
   */
  async check() {
    const { stdout } = await run(PROGRAM, ['check', this.spec, '--json']);
    return JSON.parse(stdout).diagnostics;
  }

  /** Has the program replay every session and compare it with its log. @returns {Promise<string>} its output */
  async verify() {
    const { stdout } = await run(PROGRAM, ['score', this.spec, '--verify']);
    return stdout;
  }
}
