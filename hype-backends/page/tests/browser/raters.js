// A browser with several raters, each with separate cookies, and helpers for their pages.

import { chromium, firefox } from 'playwright-core';

/**
 * @import { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core"
 */

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

/** A phone: small, with touch only. */
export const ON_A_PHONE = { viewport: PHONE, hasTouch: true, isMobile: true };

/** How long anything may take before a test gives up, in milliseconds: generous, since test machines are busy. */
export const PATIENCE = 30_000;

/** The browser under test. */
export const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** The other browser under test: the distribution's, driven by WebDriver BiDi. */
const FIREFOX = process.env['FIREFOX'] ?? '/usr/bin/firefox-esr';

/**
 * The browser's features that are turned off. The first two would draw the lists below the address bar of every window, before anyone
 * types there, which takes longer than most pages here. The others are those of Playwright 1.64, whose option this one replaces.
 */
const FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AutoDeElevate',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'BlockOriginHeaderModificationOnRedirect',
  'DestroyProfileOnBrowserClose',
  'DialMediaRouteProvider',
  'GlobalMediaControls',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'Translate',
];

/** The browser's options, which turn off its background work. */
export const QUIETLY = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${FEATURES.join()}`,
];

/** A browser for raters. */
export class Raters {
  /** @type {BrowserContext[]} */
  #contexts = [];

  /** @param {Browser} browser */
  constructor(browser) {
    this.browser = browser;
  }

  /** @param {Record<string, string>} [environment] variables of the browser's process */
  static async open(environment = {}) {
    const env = { .../** @type {Record<string, string>} */ (process.env), ...environment };
    return new Raters(await chromium.launch({ executablePath: CHROMIUM, args: QUIETLY, env }));
  }

  /** @param {Record<string, string | number | boolean>} [preferences] as in `about:config` */
  static async openFirefox(preferences = {}) {
    const options = {
      channel: 'moz-firefox',
      executablePath: FIREFOX,
      firefoxUserPrefs: { 'ui.prefersReducedMotion': 1, ...preferences },
    };
    return new Raters(await firefox.launch(options));
  }

  /**
   * A new rater, whose page has loaded.
   * @param {string} address
   * @param {BrowserContextOptions} [options]
   * @returns {Promise<Page>}
   */
  async rater(address, options = {}) {
    const context = await this.browser.newContext({
      viewport: DESKTOP,
      locale: 'en-GB',
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(PATIENCE);
    this.#contexts.push(context);
    return visit(await context.newPage(), address);
  }

  /** Closes all raters' pages. */
  async leave() {
    for (const context of this.#contexts.splice(0)) await context.close();
  }

  async close() {
    await this.leave();
    await this.browser.close();
  }
}

/**
 * Opens an address, and records errors inside the page.
 * @param {Page} page
 * @param {string} address
 * @returns {Promise<Page>}
 */
export async function visit(page, address) {
  watch(page);
  await page.goto(address);
  return page;
}

/** Errors of scripts and of the content policy, by page. @type {WeakMap<Page, string[]>} */
const faults = new WeakMap();

/** @param {Page} page */
function watch(page) {
  if (faults.has(page)) return;
  /** @type {string[]} */
  const found = [];
  faults.set(page, found);
  page.on('pageerror', (error) => found.push(String(error.stack ?? error)));
  page.on('console', (message) => {
    // A request that fails on purpose is also logged to the console.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) found.push(message.text());
  });
}

/** The errors inside a page; tests expect none. @param {Page} page */
export const faultsOf = (page) => faults.get(page) ?? [];

/** The name of the screen that a page shows. @param {Page} page @returns {Promise<string>} */
export async function screenOf(page) {
  return (await page.locator('main > [data-screen]').getAttribute('data-screen')) ?? '';
}

/** Waits for a screen. @param {Page} page @param {string} name */
export async function arriveAt(page, name) {
  await page.locator(`main > [data-screen="${name}"]`).waitFor();
}

/** Clicks a button by its action.
 * @param {Page} page
 * @param {string} name
 */
export async function act(page, name) {
  await page.locator(`[data-action="${name}"]:visible`).first().click();
}

/** Whether a page needs horizontal scrolling. @param {Page} page @returns {Promise<boolean>} */
export function isTooWide(page) {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}

/** Hides a page, as another tab in front of it does, or shows it. @param {Page} page @param {boolean} hidden */
export function hide(page, hidden) {
  return page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
}
