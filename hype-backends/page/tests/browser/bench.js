// What the browser tests stand on: a browser, a server, and raters that come to it.

import { chromium } from 'playwright-core';
import { Mock } from '../mock/server.js';

/**
 * @import { Browser, BrowserContext, Page } from "playwright-core"
 */

/** The address of a server under test; without it the mock serves. */
const GIVEN = process.env['HYPE_PAGE_URL'];

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

/** How long anything may take before a test gives up, in milliseconds: generous, since machines that test are busy. */
export const PATIENCE = 60_000;

/** A browser with a server to talk to. */
export class Bench {
  /** @type {BrowserContext[]} */
  #contexts = [];

  /** @param {Browser} browser @param {Mock | null} mock `null` where a server was given */
  constructor(browser, mock) {
    this.browser = browser;
    this.mock = mock;
  }

  static async open() {
    const browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
    const mock = GIVEN === undefined ? await new Mock().start() : null;
    return new Bench(browser, mock);
  }

  /** The mock; tests that need its inside are left out where a server was given. */
  get inside() {
    if (this.mock === null) throw new Error('this test looks into the mock server');
    return this.mock;
  }

  /**
   * A rater of their own, with a page that has arrived.
   * @param {Record<string, string>} [arrival]
   * @param {import("playwright-core").BrowserContextOptions} [options]
   * @returns {Promise<Page>}
   */
  async rater(arrival = {}, options = {}) {
    const context = await this.browser.newContext({
      viewport: DESKTOP,
      locale: 'en-GB',
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(PATIENCE);
    this.#contexts.push(context);
    return this.visit(await context.newPage(), arrival);
  }

  /** @param {Page} page @param {Record<string, string>} [arrival] */
  async visit(page, arrival = {}) {
    const address = new URL(GIVEN ?? this.inside.url);
    for (const [name, value] of Object.entries(arrival)) address.searchParams.set(name, value);
    watch(page);
    await page.goto(address.href);
    return page;
  }

  async leave() {
    for (const context of this.#contexts.splice(0)) await context.close();
  }

  async close() {
    await this.leave();
    await this.browser.close();
    await this.mock?.stop();
  }
}

/** Faults of scripts and of the content policy, by page. @type {WeakMap<Page, string[]>} */
const faults = new WeakMap();

/** @param {Page} page */
function watch(page) {
  if (faults.has(page)) return;
  /** @type {string[]} */
  const found = [];
  faults.set(page, found);
  page.on('pageerror', (error) => found.push(String(error.stack ?? error)));
  page.on('console', (message) => {
    // A request that fails on purpose is told in the console as well.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) found.push(message.text());
  });
}

/** What went wrong inside a page, which a test expects to be nothing. @param {Page} page */
export const faultsOf = (page) => faults.get(page) ?? [];

/** The name of the screen that a page shows. @param {Page} page @returns {Promise<string>} */
export async function screenOf(page) {
  return (await page.locator('main > [data-screen]').getAttribute('data-screen')) ?? '';
}

/** Waits for a screen. @param {Page} page @param {string} name */
export async function arriveAt(page, name) {
  await page.locator(`main > [data-screen="${name}"]`).waitFor();
}

/**
 * Presses a button by what it does.
 * @param {Page} page
 * @param {string} name
 */
export async function act(page, name) {
  await page.locator(`[data-action="${name}"]:visible`).first().click();
}

/** Consents, where age is asked for as well. @param {Page} page */
export async function consent(page) {
  await arriveAt(page, 'consent');
  const box = page.locator('.check input');
  if ((await box.count()) > 0) await box.check();
  await act(page, 'agree');
}

/** Goes from arrival to the first trial. @param {Page} page */
export async function begin(page) {
  await consent(page);
  await arriveAt(page, 'instructions');
  await act(page, 'begin');
}
