// The operator's page in the middle of a run with three hundred raters: one screen, a short phone, and updates that disturb no one. In
// `./test` axe looks at a screen in the light, and at others in the dark.

import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { KEYS, OperatorSide, busy, threeHundred } from '../mock/operator.js';
import { sized } from '../size.js';
import { examine } from './axe.js';
import { Bench } from './bench.js';
import { PHONE, faultsOf, isTooWide } from './raters.js';

/**
 * @import { Page } from "playwright-core"
 */

const bench = await Bench.open();
let side = new OperatorSide();
beforeEach(() => {
  bench.mock.operator = side = new OperatorSide();
  [side.state, side.rows] = [busy(), threeHundred()];
});
afterEach(() => bench.leave());
after(() => bench.close());

const SCREEN = { width: 1440, height: 900 };
const LAPTOP = { width: 1280, height: 720 };
const TABLET = { width: 900, height: 1000 };

/** @param {{ width: number, height: number }} viewport @param {"operator" | "reader"} [role] */
async function opened(viewport, role = 'operator') {
  const page = await bench.raters.rater(`${bench.mock.url}operator#${KEYS[role]}`, { viewport });
  await page.getByText('of 400 places').waitFor();
  await page
    .locator(viewport === PHONE ? '.cards li' : '.raters tbody code')
    .first()
    .waitFor();
  await page.locator('.measured img[src^="blob:"]').waitFor();
  return page;
}

/** @param {Page} page */
const height = (page) => page.evaluate(() => document.documentElement.scrollHeight);

/** Values that are broken from their units: texts of more than one line. @param {Page} page */
const broken = (page) =>
  page.evaluate(() => {
    const lines = (/** @type {Element} */ element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const boxes = [...range.getClientRects()].filter(({ width }) => width > 0).sort((a, b) => a.top - b.top);
      return boxes.filter((box, at) => at === 0 || box.top >= (boxes[at - 1]?.bottom ?? 0)).length;
    };
    // Numbers with a space that breaks before their unit.
    const split = /\d (?:ms|s|min|h|d|Hz|active|idle|answers?|items?|raters?|places?)\b/;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode.textContent ?? '');
    const several = [...document.querySelectorAll('.value, .number, .told > *')].filter((one) => lines(one) > 1);
    return [...several.map((one) => one.textContent), ...texts.filter((text) => split.test(text))];
  });

/** Elements that are wider or higher than the box that cuts them off. @param {Page} page */
const cutOff = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('.figure, .figure p, .alerts, .panel, .side')]
      .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1)
      .map((one) => `${one.className}: ${one.textContent?.slice(0, 60)}`),
  );

/** @param {Page} page @param {string} name @param {"light" | "dark"} [some] the colours in `./test` */
async function examineBoth(page, name, some = 'dark') {
  for (const colorScheme of sized(/** @type {const} */ (['light', 'dark']), [some])) {
    await page.emulateMedia({ colorScheme });
    await examine(page, colorScheme === 'dark' ? `${name}-dark` : name);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** How long scripts, styles and layout have taken, in milliseconds. @param {import("playwright-core").CDPSession} cdp */
async function busyFor(cdp) {
  const { metrics } = await cdp.send('Performance.getMetrics');
  const named = ['ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration'];
  return metrics.filter(({ name }) => named.includes(name)).reduce((sum, { value }) => sum + 1_000 * value, 0);
}

test('on a screen nothing scrolls but the list of raters', async () => {
  for (const viewport of [SCREEN, LAPTOP]) {
    const page = await opened(viewport);
    assert.equal(await height(page), viewport.height);
    assert.equal(await isTooWide(page), false);
    assert.deepEqual(await broken(page), []);
    assert.deepEqual(viewport === SCREEN ? await cutOff(page) : [], []);
    assert.ok((await page.locator('.raters tbody tr').count()) <= 52, 'fifty rows and the room around them');
    if (viewport === SCREEN) await examineBoth(page, 'operator-busy', 'light');
    else if (sized(true, false)) await examineBoth(page, 'operator-laptop');
    assert.deepEqual(faultsOf(page), []);
  }
});

test('all that an operator looks for is on the screen', async () => {
  const page = await opened(SCREEN);
  assert.equal(await page.title(), '(2) 233/400 op');
  for (const text of [
    '233 of 400 places (58%)',
    '60 more under way · 4 did not qualify · 2 left · 1 excluded',
    '57 active 3 idle',
    '1.2 per min',
    '$326.20 of about $560',
    '$234 to come · $1.40 per rater',
    '2 alerts',
    '4 resolved',
    '9,560 of 9,608 shown as planned (99.5%)',
    '10 (9 with a wrong key)',
  ]) {
    await page.locator('p:visible, strong:visible, span:visible', { hasText: text }).first().waitFor();
  }
  assert.deepEqual(
    (await page.getByRole('tab').allInnerTexts()).map((text) => text.replaceAll('\u00a0', ' ')),
    ['Study', 'Details', 'Active 57', 'Idle 3', 'Completed 233', 'Did not qualify 4', 'Left 2', 'Excluded 1'],
  );
  const rows = page.locator('.raters tbody tr:not([aria-hidden])');
  assert.match(await rows.first().innerText(), /ddpm\s+42\ss\s+0.2\ss\s+31 of 34 under 250\sms/);
});

test('a phone has less than 2,400 pixels, whatever the number of raters', async () => {
  const page = await opened(PHONE);
  assert.ok((await height(page)) < 2_400, `${await height(page)} pixels`);
  assert.equal(await isTooWide(page), false);
  assert.deepEqual(await broken(page), []);
  const small = await page.evaluate(() =>
    [...document.querySelectorAll('button')]
      .filter((button) => button.checkVisibility() && button.getBoundingClientRect().height < 44)
      .map((button) => button.textContent),
  );
  assert.deepEqual(small, []);
  await examineBoth(page, 'operator-busy');
  side.rows = side.rows.map((row) => ({ ...row, state: 'idle' }));
  side.state = { ...busy(), raters: { ...busy().raters, active: 0, idle: 300 } };
  side.tell();
  await page.getByText('300 ›').waitFor();
  assert.equal(await page.locator('.cards > li').count(), 4, 'the list is asked for again later');
  await page.reload();
  await page.locator('.cards > li').nth(5).waitFor();
  assert.ok((await height(page)) < 2_400, `${await height(page)} pixels`);
  assert.equal(await page.locator('.cards > li').count(), 6);
  assert.deepEqual(faultsOf(page), []);
});

test('on a phone a number opens a list of twenty at a time', async () => {
  const page = await opened(PHONE);
  await page.getByRole('button', { name: 'Completed' }).click();
  const cards = page.locator('.rows .cards > li');
  await cards.nth(19).waitFor();
  assert.equal(await cards.count(), 20);
  await page.getByRole('button', { name: 'Show 20 more' }).click();
  await cards.nth(39).waitFor();
  assert.equal(await cards.count(), 40);
  await page.getByRole('button', { name: 'Completed' }).click();
  await cards.first().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'More…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close…' }).click();
  await page.getByRole('heading', { name: 'Close the study' }).waitFor();
});

test('a tablet shows all of it in one column of two', async () => {
  const page = await opened(TABLET);
  assert.equal(await isTooWide(page), false);
  assert.deepEqual(await broken(page), []);
  await examineBoth(page, 'operator-tablet');
});

test('scrolling the list asks for the rows that come into sight, and draws no more than fifty', async () => {
  const page = await opened(SCREEN);
  await page.getByRole('tab', { name: /^Completed/ }).click();
  const rows = page.locator('.raters tbody tr:not([aria-hidden])');
  await page.waitForFunction(() => document.querySelectorAll('.raters tbody code').length === 50);
  const list = page.locator('.scrolled');
  const all = await list.evaluate((view) => view.scrollHeight);
  assert.ok(Math.abs(all - (26 + 233 * 30)) < 4, `${all} pixels`);
  await list.evaluate((view) => (view.scrollTop = 4_000));
  await page.waitForFunction(() => {
    const view = document.querySelector('.scrolled')?.getBoundingClientRect();
    const middle = view && document.elementFromPoint(view.left + 40, view.top + view.height / 2);
    return middle?.closest('tr')?.querySelector('code') !== null && middle?.closest('tr') !== null;
  });
  assert.equal(await rows.count(), 50);
  assert.equal(await list.evaluate((view) => view.scrollTop), 4_000);
});

test('an update changes texts in place: the focus, what is selected and what is scrolled to stay', async () => {
  const page = await opened(SCREEN);
  const second = page.locator('.raters tbody tr:not([aria-hidden])').nth(3);
  const name = (await second.getByRole('button').getAttribute('aria-label')) ?? '';
  await page.locator('.scrolled').evaluate((view) => (view.scrollTop = 60));
  await page.getByRole('button', { name, exact: true }).focus();
  await page.evaluate(() => {
    const text = document.querySelector('.figure.completed strong')?.firstChild;
    if (text) getSelection()?.selectAllChildren(text.parentElement ?? text);
  });
  const before = await page.evaluate(() => ({
    scrolled: document.querySelector('.scrolled')?.scrollTop,
    sections: document.querySelectorAll('section').length,
  }));
  const state = busy();
  side.state = { ...state, done: 234, held: 59, raters: { ...state.raters, active: 56, completed: 234 } };
  const [gone] = side.rows.splice(2, 1);
  side.rows = [...side.rows, ...(gone ? [{ ...gone, state: /** @type {const} */ ('completed') }] : [])];
  side.tell();
  await page.getByText('(59%)').waitFor();
  await page.getByRole('tab', { name: 'Active 56' }).waitFor();
  await page.waitForFunction(
    (key) => ![...document.querySelectorAll('.raters code')].some((code) => code.textContent === key),
    gone?.rater.slice(0, 9),
  );
  const now = await page.evaluate(() => ({
    scrolled: document.querySelector('.scrolled')?.scrollTop,
    sections: document.querySelectorAll('section').length,
  }));
  assert.deepEqual(now, before);
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), name);
  assert.equal(await page.evaluate(() => getSelection()?.toString()), '234');
  const live = await page.evaluate(() =>
    [...document.querySelectorAll('[aria-live]')].map((one) => one.closest('section')?.className),
  );
  assert.deepEqual(live, ['alerts']);
});

test('alerts do one thing each, and those beyond two are shown on request', async () => {
  const page = await opened(SCREEN);
  await page.getByRole('region', { name: 'Alerts' }).getByRole('button', { name: 'Look' }).click();
  await page.getByText('1 found.').waitFor();
  assert.equal(await page.locator('.raters tbody code').count(), 1);
  await page.getByRole('region', { name: 'Alerts' }).getByRole('button', { name: 'List' }).click();
  await page.getByRole('dialog').getByText('dog_0012.png').waitFor();
  await examine(page, 'operator-items');
  await page.getByRole('button', { name: 'Done' }).click();
  const since_unix_ms = busy().unix_ms - 600_000;
  const alerts = /** @type {import("../../page.js").Alert[]} */ ([
    { kind: 'problem', problem: 'disk-full', reason: 'no space left on device', since_unix_ms },
    { kind: 'stalled', since_unix_ms, places: 107 },
    ...busy().alerts,
  ]);
  side.state = { ...busy(), alerts, alerts_left_out: 1 };
  side.tell();
  await page.getByText('The disk is full').waitFor();
  assert.equal(await page.getByRole('region', { name: 'Alerts' }).getByRole('listitem').count(), 2);
  await page.getByRole('button', { name: '3 more' }).click();
  assert.equal(await page.getByRole('region', { name: 'Alerts' }).getByRole('listitem').count(), 4);
  assert.equal(await height(page), SCREEN.height);
  await examine(page, 'operator-alerts');
  await page.getByRole('button', { name: 'Why' }).click();
  await page.getByText('no space left on device').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  side.state = { ...busy(), alerts: [], alerts_resolved: 8 };
  side.tell();
  await page.getByRole('region', { name: 'Alerts' }).waitFor({ state: 'hidden' });
  assert.equal(await page.title(), '233/400 op');
});

test('the details have what the screen has no room for', async () => {
  const page = await opened(SCREEN);
  await page.getByRole('tab', { name: 'Details' }).click();
  for (const name of ['Estimates', 'Stopping rule', 'Figures', 'Quality', 'Coverage', 'Actions', 'Refused requests']) {
    await page.getByRole('heading', { name, exact: true }).first().waitFor();
  }
  await examineBoth(page, 'operator-busy-details', 'light');
  await page.setViewportSize(PHONE);
  assert.equal(await isTooWide(page), false);
  await examineBoth(page, 'operator-busy-details');
});

test('an update with three hundred raters is less than 30 kB, and is drawn at once', async (context) => {
  const page = await opened(SCREEN);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  const times = [];
  for (let done = 234; done < sized(244, 238); done += 1) {
    const state = busy();
    side.state = { ...state, done, raters: { ...state.raters, completed: done } };
    side.rows = side.rows.map((row) => ({ ...row, answered: Math.min(41, row.answered + 1) }));
    const before = await busyFor(cdp);
    side.tell();
    await page.getByText(`(${Math.round(done / 4)}%)`).waitFor();
    // The list follows the event.
    await page.waitForTimeout(200);
    times.push((await busyFor(cdp)) - before);
  }
  context.diagnostic(`updates took ${times.map((ms) => ms.toFixed(1)).join(', ')} ms`);
  const [event, list] = [Math.max(...side.sent.events), Math.max(...side.sent.raters)];
  context.diagnostic(`an event has ${event} bytes, and a list ${list}`);
  assert.ok(event + list < 30_000, `${event} and ${list} bytes`);
});
