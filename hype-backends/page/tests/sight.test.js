import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  MIDDLE,
  WHOLE,
  apart,
  divided,
  flipped,
  imagePoint,
  isWhole,
  moved,
  settled,
  stepped,
  stepsFrom,
  zoomedTo,
} from '../assets/sight.js';
import { generator } from './mock/pictures.js';

/** @import { Point, Sight } from "../assets/sight.js" */

/** Scales at which pages show whole images: reduced, as they are, and enlarged. */
const FACTORS = [0.1, 0.25, 0.49, 0.5, 0.566, 0.71, 0.95, 1, 1.5, 2, 3, 6, 8, 24];

/** How exactly points are kept, as a share of an image. */
const EXACTLY = 1e-9;

/** @param {number} one @param {number} other */
const isClose = (one, other) => Math.abs(one - other) < EXACTLY;

/** Whether every place is filled by its image. @param {Sight} sight */
function isFilled(sight) {
  const [first, last] = [imagePoint(sight, { x: 0, y: 0 }), imagePoint(sight, { x: 1, y: 1 })];
  return Math.min(first.x, first.y) > -EXACTLY && Math.max(last.x, last.y) < 1 + EXACTLY;
}

/**
 * Walks at random through what raters can do.
 * @param {number} seed
 * @param {(before: Sight, after: Sight, steps: number[], done: { what: string, at: Point }) => void} check
 */
function walk(seed, check) {
  const draw = generator(seed);
  const steps = stepsFrom(FACTORS[Math.floor(draw() * FACTORS.length)] ?? 1);
  let sight = WHOLE;
  for (let round = 0; round < 60; round += 1) {
    const at = { x: draw(), y: draw() };
    const what =
      ['in', 'in', 'out', 'move', 'pinch', 'settle', 'flip', 'apart', 'divide'][Math.floor(draw() * 9)] ?? '';
    const before = sight;
    switch (what) {
      case 'in':
      case 'out':
        sight = stepped(sight, steps, what, at);
        break;
      case 'move':
        sight = moved(sight, draw() * 4 - 2, draw() * 4 - 2);
        break;
      case 'pinch':
        sight = zoomedTo(sight, Math.min(steps.at(-1) ?? 1, sight.zoom * (0.3 + 3 * draw())), at);
        break;
      case 'settle':
        sight = settled(sight, steps, at);
        break;
      case 'flip':
        sight = flipped(sight, 2);
        break;
      case 'apart':
        sight = apart(sight);
        break;
      default:
        sight = divided(sight, draw() < 0.3 ? null : draw() * 3 - 1);
    }
    check(before, sight, steps, { what, at });
  }
}

test('whatever is done, zooms stay within their limits and places are filled', () => {
  for (let seed = 0; seed < 200; seed += 1) {
    walk(seed, (_, sight, steps) => {
      assert.ok(sight.zoom >= 1 && sight.zoom <= (steps.at(-1) ?? 1) * (1 + EXACTLY), String(sight.zoom));
      assert.ok(isFilled(sight), JSON.stringify(sight));
      assert.ok(sight.divider === null || (sight.divider >= 0 && sight.divider <= 1));
      assert.ok(sight.front === null || sight.divider === null, 'nothing is flipped and divided at once');
    });
  }
});

test('the point under the cursor stays, wherever that leaves places filled', () => {
  let held = 0;
  for (let seed = 0; seed < 200; seed += 1) {
    walk(seed, (before, after, _, { what, at }) => {
      if (!['in', 'out', 'pinch', 'settle'].includes(what)) return;
      const [one, other] = [imagePoint(before, at), imagePoint(after, at)];
      const half = 0.5 / after.zoom;
      for (const axis of /** @type {const} */ (['x', 'y'])) {
        const isAtEdge = isClose(after[axis], half) || isClose(after[axis], 1 - half);
        assert.ok(isAtEdge || isClose(one[axis], other[axis]), `${what} ${axis}: ${one[axis]} ${other[axis]}`);
        if (!isAtEdge) held += 1;
      }
      // Zooming in never meets an edge.
      if (after.zoom >= before.zoom) assert.ok(isClose(one.x, other.x) && isClose(one.y, other.y), what);
    });
  }
  assert.ok(held > 1_000, String(held));
});

test('zooming in and out about one point changes nothing', () => {
  for (const factor of FACTORS) {
    const steps = stepsFrom(factor);
    const at = { x: 0.2, y: 0.9 };
    let sight = WHOLE;
    for (const _ of steps) sight = stepped(sight, steps, 'in', at);
    assert.equal(sight.zoom, steps.at(-1));
    for (const _ of steps) sight = stepped(sight, steps, 'out', at);
    assert.deepEqual(sight, WHOLE);
    assert.equal(isWhole(sight), true);
  }
});

test('moving to and fro changes nothing, unless an edge is met', () => {
  const near = zoomedTo(WHOLE, 4, MIDDLE);
  const back = moved(moved(near, 0.3, -0.2), -0.3, 0.2);
  assert.ok(isClose(back.x, near.x) && isClose(back.y, near.y));
  assert.deepEqual(moved(WHOLE, 0.3, 0.3), WHOLE);
  assert.equal(moved(near, 9, 0).x, 0.125);
  assert.equal(moved(near, -9, 0).x, 0.875);
});

test('images follow the pointer that drags them', () => {
  const near = zoomedTo(WHOLE, 4, { x: 0.5, y: 0.5 });
  const [from, to] = [
    { x: 0.4, y: 0.7 },
    { x: 0.55, y: 0.6 },
  ];
  const after = imagePoint(moved(near, to.x - from.x, to.y - from.y), to);
  const before = imagePoint(near, from);
  assert.ok(isClose(after.x, before.x) && isClose(after.y, before.y));
});

test('flipping two images twice changes nothing, and flipping goes on from image to image', () => {
  const first = flipped(zoomedTo(WHOLE, 3, { x: 0.1, y: 0.1 }), 2);
  assert.deepEqual(flipped(flipped(first, 2), 2), first);
  assert.deepEqual(apart(first).front, null);
  const seen = [];
  let sight = WHOLE;
  for (let turn = 0; turn < 5; turn += 1) {
    sight = flipped(sight, 3);
    seen.push(sight.front);
  }
  assert.deepEqual(seen, [0, 1, 2, 0, 1]);
});

test('images come to rest at whole numbers of device pixels, or below their own size', () => {
  for (const factor of FACTORS) {
    const steps = stepsFrom(factor);
    assert.equal(steps[0], 1);
    assert.deepEqual(
      steps,
      [...steps].sort((one, other) => one - other),
    );
    for (const step of steps.slice(1)) {
      const shown = step * factor;
      assert.ok(shown < 1 || Math.abs(shown - Math.round(shown)) < 1e-9, `${factor}: ${shown}`);
    }
    const most = (steps.at(-1) ?? 1) * factor;
    assert.ok(most >= Math.max(8, 2 * factor) - 1e-9, `${factor}: ${most}`);
    for (const [at, step] of steps.slice(1).entries())
      assert.ok(step / (steps[at] ?? 1) >= 1.09, `${factor}: ${steps}`);
  }
  assert.deepEqual(stepsFrom(0.5), [1, Math.SQRT2, 2, 4, 6, 8, 12, 16]);
  assert.deepEqual(stepsFrom(2), [1, 1.5, 2, 3, 4]);
});

test('a pinch comes to rest at the nearest step', () => {
  const steps = [1, 2, 4];
  const zoomOf = (/** @type {number} */ zoom) => settled(zoomedTo(WHOLE, zoom, MIDDLE), steps, MIDDLE).zoom;
  assert.deepEqual([1, 1.3, 1.5, 2.7, 3, 4].map(zoomOf), [1, 1, 2, 2, 4, 4]);
});
