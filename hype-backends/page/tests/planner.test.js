import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DONE, Planner, plan, plannedFrames } from '../assets/planner.js';
import { generator } from '../timing/trials.js';

/** @typedef {import("../assets/planner.js").Part} Part */

const RATES_HZ = [60, 75, 90, 120, 144];

/** @type {(exposure: number | null) => Part} */
const image = (exposure) => ({ part: 'image', image: 'a', width: 8, height: 8, exposure_ms: exposure });
/** @type {(count: number, ms: number) => Part} */
const masks = (count, ms) => ({ part: 'masks', images: Array.from({ length: count }, (_, n) => `m${n}`), each_ms: ms });
/** @type {Part} */
const countdown = { part: 'countdown', from: 3, each_ms: 500 };

/**
 * A screen with its own clock. Refresh `n` is at `n` intervals. The timestamp that the page gets has some jitter. A
 * refresh that the page misses shows the last drawing again.
 * @param {Planner} planner
 * @param {number} hz
 * @param {{ jitter?: () => number, skip?: (refresh: number) => boolean, latency?: (refresh: number) => number }} world
 * @returns {number[]} the step that each refresh showed, from the first drawn to the first after the last
 */
function shown(planner, hz, { jitter = () => 0, skip = () => false, latency = () => 0.3 } = {}) {
  const frame = 1000 / hz;
  const seen = [];
  let drawn = DONE;
  for (let refresh = 0; refresh < 100_000; refresh += 1) {
    if (refresh === 0 || !skip(refresh)) {
      const timestamp = 5000 + (refresh + jitter()) * frame;
      drawn = planner.frame(timestamp, timestamp + latency(refresh));
    }
    seen.push(drawn);
    if (drawn === DONE) return seen;
  }
  throw new Error('the presentation has no end');
}

/** @type {(seen: number[], step: number) => number} */
const count = (seen, step) => seen.filter((one) => one === step).length;

test('a duration becomes the nearest number of frames, and at least one', () => {
  const table = [
    [60, 2],
    [75, 2],
    [90, 3],
    [120, 4],
    [144, 4],
    [240, 7],
    [30, 1],
  ];
  for (const [hz, frames] of table) assert.equal(plannedFrames(30, 1e6 / (hz ?? NaN)), frames, `30 ms at ${hz} Hz`);
  assert.equal(plannedFrames(0, 16_667), 1);
  assert.equal(plannedFrames(500, 16_667), 30);
});

test('parts become steps with their index, the requested and the achievable duration', () => {
  const steps = plan([countdown, { part: 'condition' }, image(100), masks(2, 30)], 16_667);
  assert.deepEqual(
    steps.map(({ part, image: place, kind, value }) => [part, place, kind, value]),
    [
      [0, 0, 'number', 3],
      [0, 1, 'number', 2],
      [0, 2, 'number', 1],
      [2, 0, 'image', 0],
      [3, 0, 'mask', 0],
      [3, 1, 'mask', 0],
    ],
  );
  assert.deepEqual(
    steps.map(({ planned_frames: frames }) => frames),
    [30, 30, 30, 6, 2, 2],
  );
  assert.equal(steps[4]?.requested_ms, 30);
  assert.equal(steps[4]?.achievable_ms, 33.334);
});

test('nothing can follow an image without a limit', () => {
  assert.throws(() => plan([image(null), masks(1, 30)], 16_667), RangeError);
});

test('without skips every image has its planned frames at every rate, whatever the jitter of the timestamps', () => {
  const random = generator(7);
  for (const hz of RATES_HZ) {
    for (let round = 0; round < 60; round += 1) {
      const spread = random() * 0.24;
      const exposure = 10 + random() * 990;
      const steps = plan([countdown, image(exposure), masks(5, 30)], Math.round(1e6 / hz));
      const planner = new Planner(steps, Math.round(1e6 / hz));
      const seen = shown(planner, hz, { jitter: () => (random() * 2 - 1) * spread });
      steps.forEach((step, index) => assert.equal(count(seen, index), step.planned_frames, `${hz} Hz, step ${index}`));
      const display = planner.display(5);
      assert.equal(display.suspect, false);
      assert.equal(display.skipped, 0);
      assert.deepEqual(
        display.parts.map(({ frames }) => frames),
        [plannedFrames(exposure, 1e6 / hz), ...Array(5).fill(plannedFrames(30, 1e6 / hz))],
      );
    }
  }
});

test('the record matches the screen, and an image is longer only by refreshes missed at its end', () => {
  const random = generator(11);
  for (const hz of RATES_HZ) {
    for (let round = 0; round < 60; round += 1) {
      const share = random() * 0.3;
      const frameUs = Math.round(1e6 / hz);
      const steps = plan([image(50 + random() * 400), masks(5, 30)], frameUs);
      const planner = new Planner(steps, frameUs);
      /** @type {Set<number>} */
      const slept = new Set();
      const seen = shown(planner, hz, {
        jitter: () => (random() - 0.5) * 0.2,
        skip: (refresh) => {
          const sleeps = random() < share;
          if (sleeps) slept.add(refresh);
          return sleeps;
        },
      });
      const display = planner.display(5);
      let onset = 0;
      steps.forEach((step, index) => {
        const frames = count(seen, index);
        let due = onset + step.planned_frames;
        while (slept.has(due)) due += 1;
        assert.equal(onset + frames, due, `${hz} Hz, step ${index}`);
        assert.equal(display.parts[index]?.frames, frames);
        onset = due;
      });
      assert.equal(display.skipped, [...slept].filter((refresh) => refresh <= onset).length);
      assert.equal(
        display.suspect,
        display.parts.some(({ frames, planned_frames: planned }) => frames !== planned),
      );
    }
  }
});

test('a long exposure does not drift, although the interval has a resolution of one microsecond', () => {
  for (const hz of [59.94, 60, 75, 90, 119.88, 144]) {
    const frameUs = Math.round(1e6 / hz);
    const steps = plan([image(30_000)], frameUs);
    const seen = shown(new Planner(steps, frameUs), hz);
    assert.equal(count(seen, 0), Math.round(30 * hz), `${hz} Hz`);
  }
});

test('a stall in the middle of an image does not change its length', () => {
  const steps = plan([image(200), masks(1, 30)], 16_667);
  const planner = new Planner(steps, 16_667);
  const seen = shown(planner, 60, { skip: (refresh) => refresh > 3 && refresh < 9 });
  assert.deepEqual([count(seen, 0), count(seen, 1)], [12, 2]);
  const display = planner.display(5);
  assert.equal(display.skipped, 5);
  assert.equal(display.suspect, false);
});

test('a stall over the end of an image makes the trial suspect, and the next image still has its frames', () => {
  const planner = new Planner(plan([image(200), masks(1, 30)], 16_667), 16_667);
  const seen = shown(planner, 60, { skip: (refresh) => refresh === 12 });
  assert.deepEqual([count(seen, 0), count(seen, 1)], [13, 2]);
  const display = planner.display(5);
  assert.equal(display.suspect, true);
  assert.equal(display.parts[0]?.frames, 13);
  assert.equal(display.parts[0]?.shown_us, 216_667);
  assert.equal(planner.hopeless, false);
});

test('a late callback makes the trial suspect, although its timestamp is right', () => {
  for (const [refresh, late, suspect] of /** @type {[number, number, boolean][]} */ ([
    [5, 8, false],
    [5, 9, true],
    [12, 8, false],
    [12, 9, true],
    [14, 9, true],
  ])) {
    const planner = new Planner(plan([image(200), masks(1, 30)], 16_667), 16_667);
    shown(planner, 60, { latency: (at) => (at === refresh ? late : 0.3) });
    const display = planner.display(5);
    assert.equal(display.suspect, suspect, `${late} ms late at refresh ${refresh}`);
    assert.equal(display.worst_late_us, late * 1000);
    assert.deepEqual(
      display.parts.map(({ frames }) => frames),
      [12, 2],
    );
  }
});

test('the frame after the last change is part of the record', () => {
  for (const [late, frames, suspect, hopeless] of /** @type {[number, number, boolean, boolean][]} */ ([
    [0.3, 1, false, false],
    [9, 1, true, false],
    [0.3, 2, true, false],
    [0.3, 5, true, true],
  ])) {
    const planner = new Planner(plan([image(200), masks(1, 30)], 16_667), 16_667);
    shown(planner, 60);
    const ended = planner.ended;
    assert.equal(planner.settled, false);
    assert.equal(planner.frame(ended, ended), DONE);
    assert.equal(planner.settled, false, 'the same frame');
    const next = ended + frames * 16.667;
    assert.equal(planner.frame(next, next + late), DONE);
    assert.equal(planner.settled, true);
    assert.equal(planner.frame(next + 900, next + 1000), DONE);
    const display = planner.display(5);
    assert.deepEqual([display.suspect, planner.hopeless, display.skipped], [suspect, hopeless, frames - 1]);
    assert.deepEqual(
      display.parts.map((part) => part.frames),
      [12, 2],
    );
    assert.equal(planner.ended, ended);
  }
});

test('a slow frame after an image without a limit does not matter, unless a mask had to go', () => {
  for (const [parts, suspect] of /** @type {[Part[], boolean][]} */ ([
    [[image(null)], false],
    [[countdown, image(null)], false],
    [[masks(1, 30), image(null)], true],
  ])) {
    const planner = new Planner(plan(parts, 16_667), 16_667);
    let refresh = 0;
    for (; !planner.held; refresh += 1) planner.frame(refresh * 16.667, refresh * 16.667);
    planner.frame((refresh + 1) * 16.667, (refresh + 1) * 16.667);
    assert.equal(planner.settled, true);
    assert.equal(planner.display(5).suspect, suspect);
  }
});

test('a change that is far too late is reported', () => {
  const planner = new Planner(plan([image(200), masks(1, 30)], 16_667), 16_667);
  shown(planner, 60, { skip: (refresh) => refresh >= 12 && refresh < 15 });
  assert.equal(planner.hopeless, true);
});

test('a stall during the countdown does not make the trial suspect', () => {
  const planner = new Planner(plan([countdown, image(200)], 16_667), 16_667);
  shown(planner, 60, { skip: (refresh) => refresh > 25 && refresh < 45, latency: (at) => (at < 50 ? 12 : 0.3) });
  const display = planner.display(5);
  assert.equal(display.suspect, false);
  assert.equal(display.skipped, 0);
  assert.equal(display.worst_late_us, 300);
});

test('a timestamp that is not after the last one changes nothing', () => {
  const planner = new Planner(plan([image(30), masks(1, 30)], 16_667), 16_667);
  assert.equal(planner.frame(1000, 1000), 0);
  assert.equal(planner.frame(1000, 1090), 0);
  assert.equal(planner.frame(990, 1090), 0);
  assert.equal(planner.frame(1016.7, 1017), 0);
  assert.equal(planner.frame(1033.3, 1034), 1);
  assert.equal(planner.frame(1066.7, 1067), DONE);
  assert.equal(planner.frame(1083.3, 1084), DONE);
  assert.deepEqual(
    planner.display(5).parts.map(({ onset_us: onset, shown_us: length }) => [onset, length]),
    [
      [0, 33_300],
      [33_300, 33_400],
    ],
  );
});

test('an image without a limit stays, and is not part of the record', () => {
  const planner = new Planner(plan([countdown, image(null)], 16_667), 16_667);
  for (let refresh = 0; refresh < 400; refresh += 1) planner.frame(refresh * 16.667, refresh * 16.667);
  assert.equal(planner.held, true);
  assert.ok(Math.abs(planner.ended - 90 * 16.667) < 1);
  assert.deepEqual(planner.display(5).parts, []);
});

test('the display before a disturbance is recorded', () => {
  const planner = new Planner(plan([image(30), masks(2, 30)], 16_667), 16_667);
  for (let refresh = 0; refresh < 5; refresh += 1) planner.frame(refresh * 16.667, refresh * 16.667);
  assert.deepEqual(
    planner.display(5).parts.map(({ part, image: place, frames }) => [part, place, frames]),
    [
      [0, 0, 2],
      [1, 0, 2],
    ],
  );
});
