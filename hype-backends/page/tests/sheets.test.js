import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DONE, Planner, plan } from '../assets/planner.js';
import { Sheets, typeSize } from '../assets/sheets.js';

/** @import { Part } from "../assets/planner.js" */

const FRAME_US = 16_667;

/** Stands for the element of a text. */
const sheet = () => {
  const element = {
    isShown: false,
    setAttribute: () => (element.isShown = true),
    removeAttribute: () => (element.isShown = false),
  };
  return element;
};

test('type is as large as the field allows, and no larger than usual', () => {
  assert.equal(
    typeSize(() => true),
    16,
  );
  assert.equal(
    typeSize((size) => size <= 11),
    11,
  );
  assert.equal(
    typeSize(() => false),
    8,
  );
});

test('one text is on the screen, for the frames of its exposure, and then its masks in turn', () => {
  const sheets = new Sheets(/** @type {any} */ ({}));
  const [text, first, second] = [sheet(), sheet(), sheet()];
  /** @type {Part[]} */
  const parts = [
    { part: 'countdown', from: 1, each_ms: 500 },
    { part: 'image', image: 'text', width: 704, height: 560, exposure_ms: 2000 },
    { part: 'masks', images: ['first', 'second', 'first', 'second'], each_ms: 30 },
  ];
  const shown = [null, text, first, second, first, second];
  const planner = new Planner(plan(parts, FRAME_US), FRAME_US);
  const counts = new Map();
  for (let frame = 0, index = 0; index !== DONE; frame += 1) {
    const now = (frame * FRAME_US) / 1000;
    index = planner.frame(now, now);
    sheets.show(/** @type {any} */ (index === DONE ? null : shown[index]));
    const visible = [text, first, second].filter(({ isShown }) => isShown);
    assert.equal(visible.length, index === DONE || index === 0 ? 0 : 1);
    if (visible[0] !== undefined) counts.set(visible[0], (counts.get(visible[0]) ?? 0) + 1);
  }
  assert.deepEqual([counts.get(text), counts.get(first), counts.get(second)], [120, 4, 4]);
  assert.equal(planner.display(5).parts[0]?.shown_us, 120 * FRAME_US);
});
