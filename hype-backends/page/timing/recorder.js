/**
 * Records from outside the page what Chromium's display compositor puts on the screen.
 *
 * It combines two channels of the DevTools protocol. The trace has every draw (`Display::DrawAndSwap`) and its
 * refresh (`DisplayScheduler::BeginFrame`), but no images. The screencast has images of draws with the time at which
 * they reach the screen, but may omit some. The trace alone is not enough, since a page that redraws its canvas in
 * every frame swaps in every frame.
 */

import { pixel } from './png.js';

/** @typedef {import("./png.js").Colour} Colour */
/** @typedef {import("./canary.js").Pause} Pause */
/** @typedef {import("playwright-core").CDPSession} Session */

/**
 * @typedef {object} Draw
 * @property {number} at the refresh that the draw belongs to, µs
 * @property {Colour | null} colour of the observed pixel; `null` if the draw was not captured
 */

/**
 * @typedef {object} Recording
 * @property {Draw[]} draws
 * @property {number} frameUs the refresh interval of the screen
 * @property {Pause[]} stumbles the refreshes that the compositor began over half an interval late
 */

/** @typedef {{ name: string, ph: string, ts: number, dur?: number, tid: number, pid: number, args: any }} TraceEvent */

const WANTED = new Set(['Display::DrawAndSwap', 'DisplayScheduler::BeginFrame']);
const CATEGORIES = ['viz'];

/** The pixel to read, as shares of the window. @typedef {{ x: number, y: number }} Look */

/**
 * @param {Session} browser
 * @param {Session} page
 * @param {() => Promise<Look>} run the work to record, which returns where to look
 * @returns {Promise<Recording>}
 */
export async function record(browser, page, run) {
  /** @type {TraceEvent[]} */
  const events = [];
  /** @type {{ stamp: number, data: string }[]} */
  const pictures = [];
  /** @param {{ value: any[] }} chunk */
  const collect = ({ value }) => {
    for (const event of value) if (WANTED.has(event.name)) events.push(event);
  };
  /** @param {{ sessionId: number, data: string, metadata: { timestamp?: number } }} frame */
  const picture = ({ sessionId, data, metadata }) => {
    page.send('Page.screencastFrameAck', { sessionId }).catch(() => {});
    pictures.push({ stamp: metadata.timestamp ?? 0, data });
  };
  browser.on('Tracing.dataCollected', collect);
  page.on('Page.screencastFrame', picture);
  await browser.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { recordMode: 'recordAsMuchAsPossible', includedCategories: CATEGORIES },
  });
  await page.send('Page.startScreencast', { format: 'png', everyNthFrame: 1, maxWidth: 240, maxHeight: 240 });
  const look = await run();
  await page.send('Page.stopScreencast');
  const complete = new Promise((resolve) => {
    browser.once('Tracing.tracingComplete', resolve);
  });
  await browser.send('Tracing.end');
  await complete;
  browser.off('Tracing.dataCollected', collect);
  page.off('Page.screencastFrame', picture);
  return joined(
    events,
    pictures.map(({ stamp, data }) => ({
      stamp: stamp * 1e6,
      colour: pixel(Buffer.from(data, 'base64'), look.x, look.y),
    })),
  );
}

/** The largest distance of an image's time from its refresh, as a share of the interval. */
const NEAR = 0.15;

/**
 * Matches the images with the trace. Their clocks differ by a constant, which is chosen to make most images match a
 * draw: trials are separated by pauses without draws: a shift by a whole frame matches fewer. A draw that was
 * ready only after its refresh counts for the next one that it could reach.
 * @param {readonly TraceEvent[]} events in any order
 * @param {readonly { stamp: number, colour: Colour }[]} pictures stamps in µs, of another clock
 * @returns {Recording}
 */
export function joined(events, pictures) {
  /** @type {(name: string) => TraceEvent[]} */
  const of = (name) => events.filter((event) => event.name === name && event.ph === 'X').sort((a, b) => a.ts - b.ts);
  const begins = of('DisplayScheduler::BeginFrame').map(({ ts, args }) => ({
    ts,
    at: Number(args.args.frame_time_us),
    interval: Number(args.args.interval_us),
  }));
  const intervals = begins.map(({ interval }) => interval).sort((a, b) => a - b);
  const frameUs = intervals[intervals.length >> 1] ?? NaN;
  let begin = 0;
  const drawn = of('Display::DrawAndSwap').map(({ ts, dur = 0 }) => {
    while ((begins[begin + 1]?.ts ?? Infinity) <= ts) begin += 1;
    return { refresh: begins[begin]?.at ?? NaN, ready: ts + dur };
  });
  const ahead = offset(
    drawn.map(({ refresh }) => refresh),
    pictures.map(({ stamp }) => stamp),
    frameUs,
  );
  const draws = drawn.map(({ refresh, ready }) => {
    const picture = pictures.find(({ stamp }) => Math.abs(stamp - refresh - ahead) < NEAR * frameUs);
    const missed = Math.max(0, Math.floor((ready - refresh) / frameUs));
    return { at: refresh + missed * frameUs, colour: picture?.colour ?? null };
  });
  const stumbles = begins.filter(({ ts, at }) => ts - at > frameUs / 2).map(({ ts, at }) => ({ from: at, to: ts }));
  return { draws, frameUs, stumbles };
}

/**
 * @param {readonly number[]} ats refreshes of the draws, µs
 * @param {readonly number[]} stamps
 * @param {number} frameUs
 * @returns {number} how far the images' clock is ahead; `NaN` if two offsets are equally good
 */
function offset(ats, stamps, frameUs) {
  const width = NEAR * frameUs;
  /** @type {Map<number, number>} */
  const votes = new Map();
  for (const stamp of stamps) {
    for (const at of ats) {
      const bin = Math.round((stamp - at) / width);
      votes.set(bin, (votes.get(bin) ?? 0) + 1);
    }
  }
  /** @type {(bin: number) => number} */
  const around = (bin) => (votes.get(bin - 1) ?? 0) + (votes.get(bin) ?? 0) + (votes.get(bin + 1) ?? 0);
  const ranked = [...votes.keys()].sort((a, b) => around(b) - around(a) || (votes.get(b) ?? 0) - (votes.get(a) ?? 0));
  const best = ranked[0] ?? NaN;
  const rival = ranked.find((bin) => Math.abs(bin - best) > 2);
  if (rival !== undefined && around(rival) === around(best)) return NaN;
  const close = stamps
    .flatMap((stamp) => ats.map((at) => stamp - at))
    .filter((difference) => Math.abs(difference - best * width) < 1.5 * width)
    .sort((a, b) => a - b);
  return close[close.length >> 1] ?? NaN;
}
