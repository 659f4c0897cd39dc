import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Looks } from '../assets/looks.js';
import { WHOLE, apart, divided, flipped, zoomedTo } from '../assets/sight.js';
import { generator } from './mock/pictures.js';

/** @param {number} zoom */
const near = (zoom) => zoomedTo(WHOLE, zoom, { x: 0.25, y: 1 });

test('nothing is reported of images that stayed whole and in their places', () => {
  const looks = new Looks();
  assert.equal(looks.report(0, 1_000), null);
  looks.change(WHOLE, 1, 2_000);
  assert.equal(looks.report(0, 3_000), null);
});

test('views are reported with their times from the onset of the images', () => {
  const looks = new Looks();
  looks.change(near(2), 1, 1_000);
  looks.change(flipped(near(2), 2), 1, 1_500);
  looks.change(flipped(flipped(WHOLE, 2), 2), 0.5, 2_000);
  looks.change(WHOLE, 0.5, 3_000);
  looks.change(divided(WHOLE, 0.25), 0.5, 4_000);
  assert.deepEqual(looks.report(900, 4_250.5), {
    looks: [
      { from_us: 100_000, for_us: 500_000, factor: 1, x: 0.375, y: 0.75 },
      { from_us: 600_000, for_us: 500_000, factor: 1, x: 0.375, y: 0.75, front: 0 },
      { from_us: 1_100_000, for_us: 1_000_000, factor: 0.5, x: 0.5, y: 0.5, front: 1 },
      { from_us: 3_100_000, for_us: 250_500, factor: 0.5, x: 0.5, y: 0.5, divider: 0.25 },
    ],
  });
});

test('what is seen only in passing counts to the view after it', () => {
  const looks = new Looks();
  for (const [at, zoom] of [2, 3, 4].entries()) looks.change(near(zoom), zoom, 1_000 + 150 * at);
  looks.change(near(6), 6, 2_000);
  looks.change(WHOLE, 1, 2_100);
  const report = looks.report(0, 5_000);
  assert.deepEqual(
    report?.looks.map(({ from_us, for_us, factor }) => [from_us, for_us, factor]),
    [
      [1_000_000, 1_000_000, 4],
      [2_000_000, 100_000, 6],
    ],
  );
});

test('a report has the time of every view, and at most 64 views', () => {
  for (let seed = 0; seed < 50; seed += 1) {
    const draw = generator(seed);
    const looks = new Looks();
    let [when, apartFor, isNear] = [0, 0, false];
    for (let change = 0; change < 40 + seed * 4; change += 1) {
      const lasted = Math.round(draw() * 600);
      when += lasted;
      if (isNear) apartFor += lasted;
      isNear = draw() < 0.8;
      const sight = draw() < 0.5 ? near(1 + draw() * 5 + 0.01) : apart(flipped(near(1.5 + draw()), 2));
      looks.change(isNear ? sight : WHOLE, 1, when);
    }
    const report = looks.report(0, when);
    const listed = report?.looks.reduce((sum, look) => sum + look.for_us, 0) ?? 0;
    assert.equal(listed + (report?.further_us ?? 0), apartFor * 1_000);
    assert.ok((report?.looks.length ?? 0) <= 64);
    if (seed > 40) assert.ok((report?.further_us ?? 0) > 0);
  }
});
