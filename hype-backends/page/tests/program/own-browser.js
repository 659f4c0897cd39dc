// A browser with a profile on disk, which can be killed and reopened.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { CHROMIUM, PATIENCE, QUIETLY } from '../browser/raters.js';

/**
 * @import { ChildProcess } from "node:child_process"
 * @import { Page } from "playwright-core"
 */

/** Running browsers, none of which outlives its test. @type {Set<OwnBrowser>} */
const running = new Set();
process.on('exit', () => {
  for (const browser of running) browser.signal();
});

/** A browser with its own profile. */
export class OwnBrowser {
  /** @param {ChildProcess} child @param {string} profile @param {Page} page */
  constructor(child, profile, page) {
    this.child = child;
    this.profile = profile;
    this.page = page;
    running.add(this);
    child.once('exit', () => running.delete(this));
  }

  /** @param {string} profile a folder */
  static async start(profile) {
    const child = spawn(
      CHROMIUM,
      [...QUIETLY, '--headless=new', `--user-data-dir=${profile}`, '--remote-debugging-port=0', 'about:blank'],
      { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
    );
    const address = await new Promise((resolve, reject) => {
      createInterface({ input: child.stderr }).on('line', (line) => {
        const found = /^DevTools listening on (ws:.*)$/.exec(line);
        if (found) resolve(found[1]);
      });
      child.once('exit', (code) => reject(new Error(`the browser has ended with ${code}`)));
    });
    const browser = await chromium.connectOverCDP(String(address));
    const [context] = browser.contexts();
    if (context === undefined) throw new Error('a browser without a profile');
    context.setDefaultTimeout(PATIENCE);
    return new OwnBrowser(child, profile, context.pages()[0] ?? (await context.newPage()));
  }

  /** Waits until the study's cookie is on disk. */
  async wroteItsCookie() {
    // Chromium writes cookies every half minute.
    const end = Date.now() + 2 * PATIENCE;
    while (Date.now() < end) {
      const files = await readdir(join(this.profile, 'Default'), { recursive: true });
      const cookies = files.filter((name) => basename(name).startsWith('Cookies'));
      const texts = await Promise.all(cookies.map((name) => readFile(join(this.profile, 'Default', name), 'latin1')));
      if (texts.some((text) => text.includes('hype_'))) return;
      await this.page.waitForTimeout(250);
    }
    assert.fail('the browser has written no cookie to disk');
  }

  /** Kills the browser and all its processes. */
  async kill() {
    const gone = once(this.child, 'exit');
    this.signal();
    await gone;
  }

  /** Kills all its processes. */
  signal() {
    process.kill(-Number(this.child.pid), 'SIGKILL');
  }
}
