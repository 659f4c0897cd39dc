import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { Disturbed, Watch } from '../assets/disturbance.js';

/** @type {any} */
let page;
/** @type {any} */
let view;
/** @type {any} */
let query;

beforeEach(() => {
  query = new EventTarget();
  page = Object.assign(new EventTarget(), { hidden: false, fullscreenElement: {}, hasFocus: () => true });
  view = Object.assign(new EventTarget(), {
    devicePixelRatio: 2,
    innerWidth: 1200,
    innerHeight: 800,
    visualViewport: Object.assign(new EventTarget(), { scale: 1 }),
    screen: { width: 1200, height: 800, colorDepth: 24, orientation: Object.assign(new EventTarget(), { angle: 0 }) },
    matchMedia: () => query,
  });
  Object.assign(globalThis, { window: view, document: page });
});

/** @type {[string, string, () => void][]} */
const CASES = [
  [
    'a hidden tab',
    'hidden',
    () => {
      page.hidden = true;
      page.dispatchEvent(new Event('visibilitychange'));
    },
  ],
  ['another window', 'blur', () => view.dispatchEvent(new Event('blur'))],
  [
    'leaving full screen',
    'fullscreen',
    () => {
      Object.assign(page, { fullscreenElement: null });
      view.innerHeight = 700;
      page.dispatchEvent(new Event('fullscreenchange'));
    },
  ],
  [
    'another size',
    'resize',
    () => {
      view.innerWidth = 900;
      view.dispatchEvent(new Event('resize'));
    },
  ],
  [
    'a zoom of the page',
    'zoom',
    () => {
      view.devicePixelRatio = 2.2;
      view.innerWidth = 1091;
      view.dispatchEvent(new Event('resize'));
    },
  ],
  [
    'a pinch',
    'zoom',
    () => {
      view.visualViewport.scale = 1.5;
      view.visualViewport.dispatchEvent(new Event('resize'));
    },
  ],
  [
    'another screen',
    'screen',
    () => {
      view.screen.width = 1920;
      view.devicePixelRatio = 1;
      query.dispatchEvent(new Event('change'));
    },
  ],
  ['a turned screen', 'screen', () => view.screen.orientation.dispatchEvent(new Event('change'))],
  ['a frozen page', 'freeze', () => page.dispatchEvent(new Event('freeze'))],
  ['a page that is left', 'freeze', () => view.dispatchEvent(new Event('pagehide'))],
];

for (const [name, reason, happens] of CASES) {
  test(`a trial is void after ${name}`, () => {
    /** @type {string[]} */
    const reported = [];
    const watch = new Watch((found) => reported.push(found));
    watch.check();
    assert.deepEqual(reported, []);
    happens();
    happens();
    watch.check();
    assert.deepEqual(reported, [reason], 'reported once');
  });
}

test('changes without an event are found by polling', () => {
  /** @type {string[]} */
  const reported = [];
  const watch = new Watch((found) => reported.push(found));
  page.hasFocus = () => false;
  watch.check();
  assert.deepEqual(reported, ['blur']);
});

test('after the end nothing is reported, and an event without a change is ignored', () => {
  /** @type {string[]} */
  const reported = [];
  const watch = new Watch((found) => reported.push(found));
  view.dispatchEvent(new Event('resize'));
  page.dispatchEvent(new Event('visibilitychange'));
  watch.stop();
  view.dispatchEvent(new Event('blur'));
  page.hidden = true;
  watch.check();
  assert.deepEqual(reported, []);
});

test('a disturbance has its reason and the display so far', () => {
  const error = new Disturbed('hidden');
  assert.ok(error instanceof Error);
  assert.deepEqual([error.name, error.reason, error.display], ['Disturbed', 'hidden', null]);
});
