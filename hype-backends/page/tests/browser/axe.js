// Checks screens by axe's rules for WCAG 2.2 AA.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { shoot } from './shots.js';

/**
 * @import { Page } from "playwright-core"
 */

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Asserts that axe finds no fault on a screen, and takes a screenshot if screenshots are wanted.
 * @param {Page} page
 * @param {string} name
 */
export async function examine(page, name) {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  const found = await page.evaluate(async (rules) => {
    const { axe } = /** @type {any} */ (globalThis);
    // What the bar that stays covers now can be scrolled from under it.
    const bars = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.bar')]);
    for (const bar of bars) bar.style.position = 'static';
    const { violations } = await axe.run(document, { runOnly: rules });
    for (const bar of bars) bar.style.position = '';
    return violations.map(
      (/** @type {any} */ one) => `${one.id}: ${one.nodes.map((/** @type {any} */ node) => node.html).join(' | ')}`,
    );
  }, RULES);
  assert.deepEqual(found, [], name);
  await shoot(page, name);
}
