// Trials of clips, in Chromium and in Firefox. Whether clips are in step is read from the screen.

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { better, counted, order, padded, played, quality } from '../mock/clips.js';
import { Mock } from '../mock/server.js';
import { offer } from '../mock/study.js';
import { Distant } from '../program/distant.js';
import { BROWSERS, LOCALES, sized, testInProof } from '../size.js';
import { examine } from './axe.js';
import { Bench } from './bench.js';
import { Close } from './close.js';
import { apart, changes, gaps, watched } from './counters.js';
import { faultsOfLayout } from './layout.js';
import { Person } from './person.js';
import { ON_A_PHONE, Raters, faultsOf, hide, isTooWide } from './raters.js';

/**
 * @import { BrowserContextOptions, Page, Request } from "playwright-core"
 * @import { AnswerBody } from "../../page.js"
 * @import { Recipe } from "../mock/clips.js"
 * @import { Change, Look } from "./counters.js"
 * @import { Place } from "./person.js"
 */

/** Raters to whom clips are shown without a press, but for the first. */
const MOVED = /** @type {const} */ ({ reducedMotion: 'no-preference', viewport: { width: 900, height: 500 } });

/** How far times in the log may be from what was on the screen, in milliseconds. */
const EXACT = 50;

/** How long a frame stands, and how long one may stand before that is a stall, in milliseconds. */
const FRAME = 40;
const STILL = 250 + EXACT;

/** A line of 1 Mbit/s that loses one of 20 packets. */
const POOR = { round_trip_ms: 100, bytes_per_second: 125_000, lost: { share: 0.05, again_ms: 300 } };

/** The most rounds until one is in step: others may be disturbed by the machine. */
const ROUNDS = 6;

offer(
  'steps',
  Array.from({ length: ROUNDS }, () =>
    played([counted({ frames: 100 }), counted({ frames: 100, hue: 20 })], [better('clip')]),
  ),
);
const gapped = () => counted({ hue: 20, gap: { after: 24, seconds: 1.5 } });
offer('stall', [played([counted({ frames: 90 }), gapped()], [better('clip')]), played([counted()], [quality('clip')])]);
// Each clip takes two seconds on a poor line, and its trial as long as its clips are.
const heavy = (/** @type {Recipe} */ recipe) => padded(counted(recipe), 250_000);
offer('poor', [
  played([heavy({ frames: 100 }), heavy({ frames: 100, hue: 20 })], [better('clip')]),
  played([heavy({ frames: 90 }), padded(gapped(), 250_000)], [better('clip')]),
]);
offer('void', [played([counted(), gapped()], [better('clip')], { stalls_at_most_ms: 600 })]);
offer('unequal', [
  played([counted({ frames: 25 }), counted({ frames: 50, codec: 'vp9' })], [better('clip')]),
  played([counted({ frames: 20 }), counted({ frames: 45 })], [better('clip')], { unequal: 'independent' }),
]);
offer('kinds', [
  played([counted()], [quality('clip')], { replay: false }),
  played([counted(), counted({ hue: 20 }), counted({ hue: 120 })], [order(3, 'clips')]),
  played([counted(), counted({ hue: 20 })], [better('clip')], { finish: 0.5 }),
]);
offer('reference', [
  played([counted({ frames: 25 })], [quality('clip')], { replay: false }, [], counted({ frames: 40, hue: 20 })),
]);
offer('broken', [
  played([counted(), { type: 'video/mp4', bytes: counted().bytes.subarray(0, 200) }], [better('clip')]),
]);

/** The body of the last report. @param {Bench} bench */
const last = (bench) => /** @type {AnswerBody} */ (bench.mock.last.taken.at(-1)?.body);

/** What the last answer says of its clips. @param {Bench} bench */
function playedIn(bench) {
  const { played } = last(bench);
  assert.ok(played !== undefined, 'an answer without what was played');
  return played;
}

/** What happens to the files of trials from now on. @param {Page} page */
function filesOf(page) {
  /** @type {{ step: string, file: string }[]} */
  const found = [];
  const tell = (/** @type {string} */ step) => (/** @type {Request} */ request) =>
    void (request.url().includes('/image/') && found.push({ step, file: request.url() }));
  // Chromium may call a request failed whose whole content was read in parts. What does fail is asked for again.
  page.on('request', tell('asked')).on('requestfinished', tell('over')).on('requestfailed', tell('over'));
  return found;
}

/** Whether clips were apart on the screen for long, in looks that follow one another. @param {readonly Look[]} looks */
function areApart(looks) {
  let since = NaN;
  let before = 0;
  for (const { at, frames } of looks) {
    const [one = 0, other = 0] = frames;
    const way = Math.abs(one - other) > 2 ? Math.sign(one - other) : 0;
    if (way === 0 || way !== before) since = at;
    else if (at - since > 100 + EXACT) return true;
    before = way;
  }
  return false;
}

// How clips keep time, and do so in the other browser, is proved on a machine with nothing else to do.
for (const browser of BROWSERS) {
  describe(`clips in ${browser}`, () => {
    /** @type {Bench} */
    let bench;
    before(async () => {
      bench =
        browser === 'chromium'
          ? await Bench.open()
          : new Bench(await Raters.openFirefox({ 'ui.prefersReducedMotion': 0 }), await new Mock().start());
    });
    afterEach(() => bench.leave());
    after(() => bench.close());

    /**
     * A rater at the first trial of a study.
     * @param {string} study
     * @param {BrowserContextOptions} [options]
     * @param {Record<string, string>} [arrival]
     */
    async function at(study, options = MOVED, arrival = {}) {
      const page = await bench.rater({ study, ...arrival }, options);
      const person = new Person(page, options.hasTouch ? 'touch' : 'mouse');
      await person.begin();
      await page.locator('.player[data-at=ready]').waitFor();
      return { page, person };
    }

    testInProof('are in step on the screen, begin by themselves after the first press, and are reported', async () => {
      const { page, person } = await at('steps');
      /** @type {Place | null} */
      let place = null;
      const found = [];
      let isInStep = false;
      for (let round = 0; round < ROUNDS; round += 1) {
        await page.locator(`[data-trial="${round}.0"]`).waitFor();
        const looks = await watched(page, async () => {
          if (round === 0) await page.keyboard.press('Enter');
          place = await person.settled(place);
        });
        await person.answer(/** @type {NonNullable<typeof place>} */ (place));
        await page.locator(`[data-trial="${round + 1}.0"], [data-screen=end]`).waitFor();
        const { members, offset_us, slips, hidden_us } = playedIn(bench);
        assert.deepEqual(
          members.map(({ seen, replays }) => ({ seen, replays })),
          Array.from({ length: 2 }, () => ({ seen: [[0, 40]], replays: 0 })),
        );
        for (const { first_us, shown_us } of members) {
          assert.ok(first_us > 0 && shown_us > 3_900_000 && first_us + shown_us < last(bench).rt_us + 100_000);
        }
        assert.equal(hidden_us, 0);
        assert.ok(!areApart(looks) || slips.length > 0, JSON.stringify(looks));
        const offsets = apart(looks);
        found.push({ looks: offsets.length, within: offsets.filter((by) => by <= 1).length, offset_us });
        place = { screen: 'trial', trial: `${round}.0` };
        isInStep ||= offsets.length >= 10 && offsets.filter((by) => by <= 1).length >= 0.99 * offsets.length;
        if (isInStep && round > 0) break;
      }
      assert.ok(isInStep, JSON.stringify(found));
      // The driver's screenshots bring a style of their own to Firefox.
      assert.deepEqual(
        faultsOf(page).filter((fault) => !fault.includes('style-src-elem')),
        [],
      );
    });

    testInProof('wait for one that stands still, which is in the log', async () => {
      const { page, person } = await at('stall');
      const frames = await changes(page);
      await page.keyboard.press('Enter');
      const place = await person.settled();
      await person.answer(place);
      await page.locator('[data-trial="1.0"]').waitFor();
      const [whole, stood] = playedIn(bench).members;
      const stall = Math.max(...(stood?.stalls ?? []).map(({ for_us }) => for_us / 1000));
      const longest = Math.max(...gaps(frames, '0.0', 1));
      assert.ok(longest > 1000, JSON.stringify(frames));
      // A frame stands for 40 ms anyway.
      assert.ok(Math.abs(stall - (longest - FRAME)) <= EXACT, `${stall} ${longest}`);
      // The other one waits, from when it is known that the first stands still.
      assert.ok((whole?.shown_us ?? 0) > 3_500_000 && playedIn(bench).offset_us < 500_000, JSON.stringify(whole));
      assert.deepEqual([whole?.seen, stood?.seen], [[[0, 36]], [[0, 35]]]); // prettier-ignore
      // One that was disturbed by nothing comes next, by itself.
      await person.answer(await person.settled(place));
      await page.locator('[data-screen=end]').waitFor();
      assert.deepEqual(
        playedIn(bench).members.map(({ seen }) => seen),
        [[[0, 20]]],
      );
      assert.deepEqual(faultsOf(page), []);
    });

    testInProof('play over a line of 1 Mbit/s that loses 5 %, and each stall is in the log', async () => {
      const distant = new Distant(bench.mock.url, POOR);
      const address = new URL(await distant.start());
      address.search = '?study=poor&ahead=yes';
      try {
        const page = await bench.raters.rater(address.href, MOVED);
        const files = filesOf(page);
        const person = new Person(page);
        await person.begin();
        // A pair takes 2 × 255 kB / 125 kB/s = 4.1 s, and what is lost at its end another 0.3 s.
        await page.waitForFunction(() => {
          const bar = document.querySelector('.waiting progress');
          return bar instanceof HTMLProgressElement && bar.value > 0.1 && bar.value < 0.9;
        });
        await page.locator('.player[data-at=ready]').waitFor();
        // The clips of the following trial come over the line while those of the first are played.
        const frames = await changes(page);
        await page.keyboard.press('Enter');
        /** @type {Place | null} */
        let place = null;
        for (const trial of ['0.0', '1.0']) {
          await page.locator(`[data-trial="${trial}"]`).waitFor();
          place = await person.settled(place);
          await person.answer(place);
          await page.locator('[data-trial="1.0"], [data-screen=end]').waitFor();
          await agree(frames, trial);
        }
        // Each pair has the line to itself, and no clip comes twice.
        const pair = ['asked', 'asked', 'over', 'over'];
        assert.deepEqual(
          files.map(({ step }) => step),
          [...pair, ...pair],
        );
        assert.equal(new Set(files.map(({ file }) => file)).size, 4);
        assert.deepEqual(faultsOf(page), []);
      } finally {
        await distant.stop();
      }
    });

    /**
     * Asserts that the report of a trial's clips has the stalls that were on the screen, and no other.
     * @param {readonly Change[]} frames
     * @param {string} trial
     */
    async function agree(frames, trial) {
      const number = Number(trial.split('.')[0]);
      while (bench.mock.last.taken.length <= number) await new Promise((resolve) => setTimeout(resolve, 50));
      const { members } = playedIn(bench);
      const logged = members.map(({ stalls }) => stalls.map(({ for_us }) => for_us / 1000));
      const seen = members.map((_, clip) => gaps(frames, trial, clip).map((gap) => gap - FRAME));
      const told = JSON.stringify({ trial, logged, seen });
      for (const [clip, stalls] of logged.entries()) {
        const isIn = (/** @type {number} */ stall, /** @type {readonly number[]} */ all) =>
          all.some((other) => Math.abs(other - stall) <= EXACT);
        assert.ok(
          stalls.every((stall) => isIn(stall, seen[clip] ?? [])),
          told,
        );
        // One that waits for another stands still for less than that one.
        const longest = Math.max(0, ...logged.filter((_, other) => other !== clip).flat());
        const unknown = (seen[clip] ?? []).filter((gap) => gap > STILL && gap > longest && !isIn(gap, stalls));
        assert.deepEqual(unknown, [], told);
      }
      assert.equal(
        logged.flat().some((stall) => stall > 1000),
        trial === '1.0',
        told,
      );
    }

    test('that stand still for too long void the trial, which comes again, and the rater is told', async () => {
      const { page } = await at('void');
      await page.keyboard.press('Enter');
      await page.locator('[data-trial="0.1"]').waitFor();
      const [report] = bench.mock.last.taken;
      assert.deepEqual(
        { to: report?.to, ...report?.body, tab: undefined },
        { to: 'disturbed', trial: 0, showing: 0, reason: 'stalled', display: null, tab: undefined },
      );
      await page.locator('.stalled').waitFor();
      assert.deepEqual(faultsOf(page), []);
    });

    test('of unequal lengths hold their last frames, and are played again together', async () => {
      const { page, person } = await at('unequal');
      const buttons = page.locator('.picture');
      assert.equal(await buttons.first().getAttribute('aria-disabled'), 'true');
      await page.keyboard.press('a');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.querySelectorAll('video')[0]?.ended);
      // A press before both have ended answers nothing.
      if (!(await page.evaluate(() => document.querySelectorAll('video')[1]?.ended))) await page.keyboard.press('b');
      const place = await person.settled();
      assert.equal(place.trial, '0.0');
      await examine(page, `clips-${browser}`);
      // Who clicks twice plays once. On a busy machine, clips could end between two clicks of the mouse.
      await page.locator('[data-action=again]').evaluate((/** @type {HTMLElement} */ button) => {
        button.click();
        button.click();
      });
      await page.locator('.player[data-at=playing]').waitFor();
      await page.keyboard.press('p');
      await page.locator('.player[data-at=paused]').waitFor();
      const times = () => page.evaluate(() => [...document.querySelectorAll('video')].map((one) => one.currentTime));
      const paused = await times();
      await page.waitForTimeout(300);
      assert.deepEqual(await times(), paused);
      await page.keyboard.press('p');
      await page.locator('.player[data-at=over]').waitFor();
      await person.answer(place);
      await page.locator('[data-trial="1.0"]').waitFor();
      assert.deepEqual(
        playedIn(bench).members.map(({ seen, replays }) => ({ seen, replays })),
        [
          { seen: [[0, 10]], replays: 1 },
          { seen: [[0, 20]], replays: 1 },
        ],
      );
      // Each by itself, without an end.
      const next = await person.settled(place);
      await person.answer(next);
      await page.locator('[data-screen=end]').waitFor();
      const [short, long] = playedIn(bench).members;
      assert.ok((short?.replays ?? 0) > (long?.replays ?? 9), JSON.stringify([short, long]));
      assert.deepEqual(faultsOf(page), []);
    });

    test('play after the source that they are compared with, which is named', async () => {
      const { page, person } = await at('reference');
      assert.match((await page.locator('.condition.source figcaption').textContent()) ?? '', /^Source clip$/);
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => (document.querySelectorAll('video')[0]?.currentTime ?? 0) > 0.3);
      assert.ok(await page.evaluate(() => document.querySelectorAll('video')[1]?.paused));
      await person.answer(await person.settled());
      await page.locator('[data-screen=end]').waitFor();
      const [second, first] = playedIn(bench).members;
      assert.deepEqual([second?.seen, first?.seen], [[[0, 10]], [[0, 16]]]);
      assert.ok((second?.first_us ?? 0) >= (first?.first_us ?? NaN) + 1_500_000, JSON.stringify([first, second]));
      assert.deepEqual(faultsOf(page), []);
    });

    test('pause while the page is hidden', async () => {
      const { page, person } = await at('unequal');
      await page.keyboard.press('Enter');
      await page.locator('.player[data-at=playing]').waitFor();
      await hide(page, true);
      const paused = page
        .locator('video')
        .evaluateAll((all) => all.map((one) => /** @type {HTMLVideoElement} */ (one).paused));
      assert.deepEqual(await paused, [true, true]);
      await page.waitForTimeout(400);
      await hide(page, false);
      const place = await person.settled();
      await person.answer(place);
      await page.locator('[data-trial="1.0"]').waitFor();
      const { hidden_us, members } = playedIn(bench);
      assert.ok(hidden_us >= 400_000 && hidden_us < last(bench).rt_us, String(hidden_us));
      assert.deepEqual(
        members.map(({ seen }) => seen),
        [[[0, 10]], [[0, 20]]],
      );
    });

    for (const [when, delay] of /** @type {const} */ ([
      ['', 0],
      [', also before they are on the screen', 1000],
    ])) {
      test(`that cannot be played are a fault that the rater is told${when}`, async () => {
        const page = await bench.rater({ study: 'broken' }, MOVED);
        await page.evaluate((delay) => {
          const next = requestAnimationFrame;
          const isLate = () => delay > 0 && document.querySelector('video') !== null;
          window.requestAnimationFrame = (draw) => (isLate() ? window.setTimeout(() => next(draw), delay) : next(draw));
        }, delay);
        await new Person(page).begin();
        await page.locator('[data-screen=trouble]').waitFor();
        assert.match((await page.locator('[data-screen=trouble]').textContent()) ?? '', /clip or a text could not be/);
      });
    }
  });
}

describe('trials of clips', () => {
  /** @type {Bench} */
  let bench;
  before(async () => void (bench = await Bench.open()));
  afterEach(() => bench.leave());
  after(() => bench.close());

  /** Begins a trial, since these raters want no motion. @param {Page} page @param {string} trial */
  async function play(page, trial) {
    await page.locator(`[data-trial="${trial}"]`).waitFor();
    await page.locator('.player[data-at=ready] .begin').click();
  }

  for (const [device, options] of /** @type {[string, BrowserContextOptions][]} */ ([
    ['desktop', { viewport: { width: 1366, height: 625 } }],
    ['phone', ON_A_PHONE],
  ])) {
    test(`${device}: ratings, rankings and pairs fit, axe finds nothing, and each begins with a press`, async () => {
      const page = await bench.rater({ study: 'kinds' }, options);
      const person = new Person(page, device === 'phone' ? 'touch' : 'mouse');
      await person.begin();
      let place = null;
      for (const trial of ['0.0', '1.0', '2.0']) {
        await page.locator(`[data-trial="${trial}"]`).waitFor();
        await page.locator('.player[data-at=ready]').waitFor();
        await examine(page, `clips-ready-${trial}`);
        await play(page, trial);
        place = await person.settled(place);
        assert.deepEqual(await faultsOfLayout(page), []);
        assert.equal(await isTooWide(page), false);
        await examine(page, `clips-open-${trial}`);
        assert.equal(await page.locator('[data-action=again]').count(), trial === '0.0' ? 0 : 1);
        await person.answer(place);
      }
      await page.locator('[data-screen=end]').waitFor();
      assert.deepEqual(faultsOf(page), []);
      // Half of each clip was enough.
      const [first] = playedIn(bench).members;
      assert.ok((first?.shown_us ?? 0) >= 950_000);
    });
  }

  test('clips are looked at closely before they can be chosen: zoomed in step, and in one place in turn', async () => {
    const options = { viewport: { width: 1280, height: 720 } };
    const page = await bench.rater({ study: 'steps', zoom: 'yes' }, options);
    const [person, close] = [new Person(page), new Close(page)];
    await person.begin();
    await page.locator('.player[data-at=ready]').waitFor();
    await close.wheel(0, { x: 0.25, y: 0.5 }, 'in');
    assert.ok((await close.images()).every(({ zoom }) => zoom > 1));
    assert.equal(await close.keyOf('flip'), 'f');
    await page.keyboard.press('f');
    assert.equal(await close.seen(), 1);
    await page.keyboard.press('f');
    assert.match(await close.said(), /^In front: .*B/);
    await close.looked();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    const place = await person.settled();
    await person.answer(place);
    await page.locator('[data-trial="1.0"]').waitFor();
    assert.ok((last(bench).inspection?.looks.length ?? 0) > 0);
    assert.deepEqual(faultsOf(page), []);
  });

  for (const locale of sized(LOCALES, ['ar'])) {
    test(`${locale}: axe finds nothing, and nothing is too wide`, async () => {
      const page = await bench.rater({ study: 'kinds' }, { ...ON_A_PHONE, locale });
      await new Person(page, 'touch').begin();
      await play(page, '0.0');
      await page.locator('.why:not(:empty)').waitFor();
      assert.equal(await isTooWide(page), false);
      await examine(page, `clips-${locale}`);
    });
  }
});
