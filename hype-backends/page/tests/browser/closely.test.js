// Looking closely by mouse, by keyboard alone and by touch: all images in step, in one place, and next to their source. What the
// page reports is what was done.

import assert from 'node:assert/strict';
import { after, afterEach, describe, test } from 'node:test';
import { offer, templates } from '../mock/study.js';
import { LOCALES, sized, testInProof } from '../size.js';
import { examine } from './axe.js';
import { Bench } from './bench.js';
import { Close, fingers } from './close.js';
import { faultsOfLayout } from './layout.js';
import { Person } from './person.js';
import { ON_A_PHONE, faultsOf, isTooWide } from './raters.js';

/**
 * @import { BrowserContextOptions, Page } from "playwright-core"
 * @import { AnswerBody } from "../../page.js"
 * @import { Hand, Place } from "./person.js"
 */

const bench = await Bench.open();
afterEach(() => bench.leave());
after(() => bench.close());

const LARGE = { zoom: 'yes', images: '1024x1024' };
const SHORT = { viewport: { width: 1280, height: 720 } };

/** Studies that begin with a pair to pick from, and with an edited image next to its source. */
const [PAIR, EDITED] = ['pair', 'edited'];
offer(PAIR, templates('untimed').slice(1, 3));
offer(EDITED, templates('untimed').slice(6, 8));

/**
 * A rater at the first trial of a study.
 * @param {string} study
 * @param {{ hand?: Hand, options?: BrowserContextOptions, arrival?: Record<string, string> }} [how]
 * @returns {Promise<{ page: Page, person: Person, close: Close, place: Place }>}
 */
async function at(study, { hand = 'mouse', options = SHORT, arrival = {} } = {}) {
  const page = await bench.rater({ ...LARGE, study, ...arrival }, options);
  const person = new Person(page, hand);
  await person.begin();
  return { page, person, close: new Close(page), place: await person.settled() };
}

/** The body of the last answer. */
const last = () => /** @type {AnswerBody} */ (bench.mock.last.taken.at(-1)?.body);

/** The views of the last answer without their times. */
const views = () => (last().inspection?.looks ?? []).map(({ from_us: _, for_us: __, ...view }) => view);

describe('looking closely', () => {
  test('by mouse: the wheel zooms all images about the same point, drags move them, and a drag answers nothing', async () => {
    const { page, person, close, place } = await at(PAIR);
    assert.deepEqual(await faultsOfLayout(page), []);
    const whole = await close.factor();
    await close.wheel(0, { x: 0.25, y: 0.5 }, 'in');
    await close.wheel(0, { x: 0.25, y: 0.5 }, 'in');
    const near = await close.images();
    assert.ok(
      near.every((image) => Math.abs(image.x - (near[0]?.x ?? NaN)) < 0.002),
      JSON.stringify(near),
    );
    // The point under the cursor is where it was.
    assert.ok(
      near.every((image) => Math.abs(image.left + 0.25 / image.zoom - 0.25) < 0.002),
      JSON.stringify(near),
    );
    await close.looked();
    await close.drag(1, { x: 0.5, y: 0.5 }, { x: 0.3, y: 0.6 });
    const moved = await close.images();
    for (const [one, image] of moved.entries()) {
      const before = near[one];
      assert.ok(Math.abs(image.x - (before?.x ?? NaN) - 0.2 / image.zoom) < 0.003, JSON.stringify([near, moved]));
    }
    assert.equal((await person.settled()).trial, place.trial, 'a drag has answered');
    await examine(page, 'closely-zoom');
    await close.looked();
    await person.answer(place);
    await person.settled(place);
    // A slow machine also sees what is between.
    const isSeen = (/** @type {{ zoom: number, x: number, y: number }} */ image) =>
      views().some(
        ({ factor, x, y }) =>
          Math.abs(factor - whole * image.zoom) < 0.01 &&
          Math.max(Math.abs(x - image.x), Math.abs(y - image.y)) < 0.003,
      );
    for (const [image] of [near, moved])
      assert.ok(image !== undefined && isSeen(image), JSON.stringify([image, views()]));
    const { looks = [] } = last().inspection ?? {};
    const end = Math.max(...looks.map((look) => look.from_us + look.for_us));
    assert.ok(end <= last().rt_us + 50_000, `${end} ${last().rt_us}`);
    assert.deepEqual(faultsOf(page), []);
  });

  test('by keyboard alone: zoom, move, flip in one place and back, none of which is a key of an answer', async () => {
    const { page, person, close, place } = await at(PAIR, { hand: 'keyboard' });
    await page.keyboard.press('+');
    await page.keyboard.press('ArrowRight');
    await close.looked();
    const before = await close.boxes();
    const flip = await close.keyOf('flip');
    // X answers this trial.
    assert.equal(flip, 'v');
    await page.keyboard.press(flip);
    const [one] = await close.boxes();
    assert.equal(await close.seen(), 1);
    await close.looked();
    await page.keyboard.press(flip);
    assert.equal(await close.seen(), 1);
    assert.deepEqual(await close.boxes(), [one], 'the images are in one place');
    assert.match(await close.said(), /^In front: .*B/);
    await examine(page, 'closely-flip');
    await close.looked();
    await page.keyboard.press('Escape');
    assert.equal(await close.seen(), 2);
    assert.equal((await close.boxes()).length, before.length);
    await person.answer(place);
    await person.settled(place);
    assert.deepEqual([...new Set(views().map(({ front }) => front))], [undefined, 0, 1]);
    assert.deepEqual(faultsOf(page), []);
  });

  testInProof('by keyboard alone: a divider between an image and its source', async () => {
    const { page, person, close, place } = await at(EDITED, { hand: 'keyboard' });
    await page.keyboard.press('c');
    await page.keyboard.press('ArrowRight');
    assert.equal(await close.divider(), 0.51);
    await examine(page, 'closely-divider');
    await close.looked();
    await page.keyboard.press('c');
    assert.equal(await close.divider(), null);
    person.hand = 'mouse';
    await person.answer(place);
    await person.settled(place);
    assert.equal(views().at(-1)?.divider, 0.51);
    assert.deepEqual(faultsOf(page), []);
  });

  test('by mouse: the divider is dragged', async () => {
    const { close } = await at(EDITED);
    await close.tool('divider').click();
    await close.drag('judged', { x: 0.5, y: 0.5 }, { x: 0.8, y: 0.5 });
    const divider = await close.divider();
    assert.ok(Math.abs((divider ?? 0) - 0.8) < 0.02, String(divider));
  });

  test('on a phone: two fingers zoom, one moves, nothing else moves or answers, and controls keep their height', async () => {
    const { page, person, close, place } = await at(PAIR, { hand: 'touch', options: ON_A_PHONE });
    const [box] = await close.boxes();
    assert.ok(box);
    const touch = await fingers(page);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await touch.pinch({ x, y }, 20, 50);
    const near = await close.images();
    assert.ok(
      near.every(({ zoom }) => zoom > 1.9),
      JSON.stringify(near),
    );
    await close.looked();
    await touch.drag({ x, y }, { x: x - 40, y });
    const moved = await close.images();
    assert.ok(
      moved.every((image, one) => image.x > (near[one]?.x ?? 1)),
      JSON.stringify([near, moved]),
    );
    assert.equal((await person.settled()).trial, place.trial, 'a gesture has answered');
    assert.equal(await isTooWide(page), false);
    assert.deepEqual((await close.boxes())[0], box, 'the images have moved on the page');
    // The browser takes a tap at the end of a drag for one that stops its momentum, on a busy machine also later ones.
    while ((await close.tool('side').getAttribute('aria-disabled')) !== null) {
      await close.looked();
      await close.tool('flip').tap();
    }
    await examine(page, 'closely-flip');
    await close.tool('side').tap();
    assert.deepEqual((await close.boxes())[0], box, 'the images have moved on the page');
    await examine(page, 'closely-zoom');
    await close.looked();
    await person.answer(place);
    await person.settled(place);
    assert.ok(views().length >= 2, JSON.stringify(views()));
    assert.deepEqual(faultsOf(page), []);
  });

  testInProof('on a phone: the divider, next to its controls', async () => {
    const { page, close } = await at(EDITED, { hand: 'touch', options: ON_A_PHONE });
    const before = await close.boxes();
    await close.tool('divider').tap();
    assert.deepEqual(await close.boxes(), before, 'the images have moved on the page');
    assert.equal(await isTooWide(page), false);
    await examine(page, 'closely-divider');
  });

  for (const locale of sized(LOCALES, ['ar'])) {
    test(`${locale}: axe finds nothing in any view, and controls fit one row on a desktop`, async () => {
      const options = { ...SHORT, locale };
      const { page, close } = await at(EDITED, { options, arrival: { images: '256x256' } });
      const rows = new Set();
      for (const tool of /** @type {const} */ (['in', 'flip', 'divider'])) {
        await close.tool(tool).click();
        for (const box of await close.tools()) rows.add(Math.round(box.y + box.height / 2));
        await examine(page, `${locale}-closely-${tool}`);
      }
      assert.equal(rows.size, 1, [...rows].join(' '));
      await close.tool('whole').click();
      assert.deepEqual(await faultsOfLayout(page), []);
    });
  }

  test('without the setting there is nothing to look closely with, and nothing is reported', async () => {
    const { page, person, close, place } = await at(PAIR, { arrival: { zoom: 'no' } });
    assert.equal(await page.locator('.closely, .lens').count(), 0);
    await close.wheel(0, { x: 0.5, y: 0.5 }, 'in');
    await page.keyboard.press('+');
    await person.answer(place);
    await person.settled(place);
    assert.equal('inspection' in last(), false);
  });

  test('images of 2048 × 2048 pixels are shown pixel by pixel', async () => {
    const { close, page } = await at(PAIR, { arrival: { images: '2048x2048' } });
    for (let step = 0; step < 20; step += 1) await page.keyboard.press('+');
    assert.ok(Math.abs((await close.factor()) - 8) < 0.02, String(await close.factor()));
    for (let step = 0; step < 20; step += 1) await page.keyboard.press('-');
    assert.ok((await close.images()).every(({ zoom }) => zoom === 1));
  });
});
