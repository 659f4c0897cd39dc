import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginning, isTimed, step } from '../assets/flow.js';
import { unmet } from '../assets/environment.js';

/**
 * @import { ScreenTrial, Screen, TrialPage, Environment } from "../page.js"
 * @import { Event, Page } from "../assets/flow.js"
 */

const EVERY = { language: 'en', study: { title: 'A study', contact: null } };

/** @param {Partial<ScreenTrial>} [changes] @param {string[]} [block] @returns {TrialPage} */
function trial(changes = {}, block = ['x']) {
  return {
    ...EVERY,
    screen: 'trial',
    block,
    progress: { answered: 0, at_most: 9 },
    back: false,
    given: null,
    following: null,
    trial: {
      number: 0,
      showing: 0,
      phase: 'main',
      block: 0,
      block_trials: 9,
      in_block: 0,
      rest_ms: null,
      enlarge: 'nearest',
      zoom: false,
      answer_after_ms: 200,
      feedback_ms: null,
      parts: [{ part: 'image', image: 'x', width: 8, height: 8, exposure_ms: null }],
      questions: [
        {
          id: 'q',
          text: '?',
          help: null,
          form: { number: { minimum: 0, maximum: 1, whole: true } },
          language: null,
          required: true,
        },
      ],
      ...changes,
    },
  };
}

/** @type {ScreenTrial["parts"]} */
const BRIEF = [{ part: 'image', image: 'x', width: 8, height: 8, exposure_ms: 100 }];

const DISPLAY = { frame_us: 16667, grain_us: 5, skipped: 0, worst_late_us: 0, suspect: false, parts: [] };

/** @param {TrialPage} screen @returns {Extract<Event, { type: "report" }>} */
function answered({ trial: { number, showing } }) {
  return {
    type: 'report',
    report: { to: 'answer', body: { trial: number, showing, answer: { q: 1 }, rt_us: 1, display: null, scale: null } },
  };
}

/** @param {Event} event @param {Screen} next @param {boolean | null} [correct] @returns {Event} */
function receiptOf(event, next, correct = null) {
  assert.ok(event.type === 'report');
  return { type: 'receipt', of: event.report, correct, next };
}

/** The screen of a trial with a known next one. @param {TrialPage} screen @param {TrialPage} next */
function before(screen, { trial, block, progress }) {
  return { ...screen, following: { trial, block, progress, back: false } };
}

/** @param {Event[]} events @param {Page} [from] */
function after(events, from = beginning()) {
  return events.reduce(step, from);
}

test('a trial without limit is asked, saved and followed by the next', () => {
  const first = trial();
  const next = trial({ number: 1 });
  assert.equal(after([{ type: 'screen', screen: first }]).state.at, 'asking');
  const answer = answered(first);
  const saving = after([{ type: 'screen', screen: first }, answer]);
  assert.equal(saving.state.at, 'saving');
  const done = step(saving, receiptOf(answer, next));
  assert.ok(done.state.at === 'asking' && done.state.screen === next);
});

test('a timed block is loaded and started once, and its trials follow one another', () => {
  const first = trial({ parts: BRIEF });
  const second = trial({ parts: BRIEF, number: 1 });
  const answer = answered(first);
  /** @type {Event[]} */
  const events = [
    { type: 'screen', screen: first },
    { type: 'loaded' },
    { type: 'started' },
    { type: 'presented', presented: { display: DISPLAY, ended: 1000, factor: 1 } },
    answer,
    receiptOf(answer, second, true),
  ];
  const states = events.map((_, at) => after(events.slice(0, at + 1)).state.at);
  assert.deepEqual(states, ['loading', 'ready', 'showing', 'asking', 'saving', 'showing']);
  const other = step(after(events.slice(0, 5)), receiptOf(answer, trial({ parts: BRIEF, number: 1 }, ['y'])));
  assert.equal(other.state.at, 'loading');
});

test('a following trial is shown while the answer before it is being saved, one at a time', () => {
  const [first, second, third] = [0, 1, 2].map((number) => trial({ number }));
  assert.ok(first && second && third);
  const answers = [answered(first), answered(second)];
  const [one, two] = answers;
  assert.ok(one && two);
  const ahead = after([{ type: 'screen', screen: before(first, second) }, one]);
  assert.ok(ahead.state.at === 'asking' && ahead.state.screen.trial.number === 1);
  // The receipt changes nothing on the screen, but tells what follows.
  const told = step(ahead, receiptOf(one, before(second, third)));
  assert.equal(told.state, ahead.state);
  assert.equal(told.memory.following?.trial.number, 2);
  // Without it the next answer waits, and the receipt of the former answer leads on.
  const waiting = step(ahead, two);
  assert.equal(waiting.state.at, 'saving');
  const on = step(waiting, receiptOf(one, before(second, third)));
  assert.ok(on.state.at === 'asking' && on.state.screen.trial.number === 2);
  assert.equal(step(waiting, receiptOf(one, second)).state.at, 'saving');
});

test('the server is right if it does not continue with the trial that the page has shown', () => {
  const [first, second] = [trial(), trial({ number: 1 })];
  const answer = answered(first);
  const ahead = after([{ type: 'screen', screen: before(first, second) }, answer]);
  /** @type {Screen} */
  const end = {
    ...EVERY,
    screen: 'end',
    ending: 'left',
    excluded: false,
    earned: null,
    code: null,
    redirect: null,
    hand_in: null,
    again: false,
    next_rater: false,
  };
  assert.equal(step(ahead, receiptOf(answer, end)).state.at, 'end');
  const opened = step(ahead, { type: 'open' });
  assert.equal(opened.memory.following, null);
});

test('a rest before a following trial begins while the answer is being saved', () => {
  const [first, second, third] = [trial(), trial({ number: 1, rest_ms: 1000 }), trial({ number: 2 })];
  const answer = answered(first);
  const resting = after([{ type: 'screen', screen: before(first, second) }, answer]);
  assert.equal(resting.state.at, 'rest');
  const told = step(resting, receiptOf(answer, before(second, third)));
  assert.equal(told.state, resting.state);
  assert.equal(step(told, { type: 'rested' }).memory.following?.trial.number, 2);
});

test('feedback is shown between a receipt and the next trial if the trial has it', () => {
  const first = before(trial({ feedback_ms: 500 }), trial({ number: 1 }));
  const answer = answered(first);
  const saving = after([{ type: 'screen', screen: first }, answer]);
  assert.equal(saving.state.at, 'saving');
  const told = step(saving, receiptOf(answer, trial({ number: 1 }), false));
  assert.ok(told.state.at === 'feedback' && told.state.correct === false);
  assert.equal(step(told, { type: 'feedback-over' }).state.at, 'asking');
});

test('a rest is offered once before its trial, even if the trial is shown again', () => {
  const rested = trial({ rest_ms: 1000, parts: BRIEF });
  assert.equal(after([{ type: 'screen', screen: rested }]).state.at, 'rest');
  const loading = after([{ type: 'screen', screen: rested }, { type: 'rested' }]);
  assert.equal(loading.state.at, 'loading');
  const again = step(loading, { type: 'screen', screen: trial({ rest_ms: 1000, parts: BRIEF, showing: 1 }) });
  assert.equal(again.state.at, 'loading');
});

test('a disturbed presentation is reported, and the rater starts the next one', () => {
  const first = trial({ parts: BRIEF });
  const body = { trial: 0, showing: 0, reason: /** @type {const} */ ('blur'), display: null };
  /** @type {Event} */
  const disturbed = { type: 'report', report: { to: 'disturbed', body } };
  const saving = after([{ type: 'screen', screen: first }, { type: 'loaded' }, { type: 'started' }, disturbed]);
  assert.equal(saving.state.at, 'saving');
  const ready = step(saving, receiptOf(disturbed, trial({ parts: BRIEF, showing: 1 })));
  assert.ok(ready.state.at === 'ready' && ready.state.interrupted === 'blur');
  const on = step(ready, { type: 'started' });
  assert.ok(on.state.at === 'showing' && on.memory.interrupted === null);
});

test('after a refused answer the form returns with the measurements', () => {
  const first = trial({ parts: BRIEF });
  const presented = { display: DISPLAY, ended: 1000, factor: 1 };
  const answer = answered(first);
  const asked = after([
    { type: 'screen', screen: first },
    { type: 'loaded' },
    { type: 'started' },
    { type: 'presented', presented },
    answer,
    { type: 'refused', of: answer.report, message: 'why' },
  ]);
  assert.ok(asked.state.at === 'asking' && asked.state.refused === 'why' && asked.state.presented === presented);
});

test('an unknown screen or part makes the page report that it is out of date', () => {
  const odd = /** @type {any} */ ({ part: 'video', video: 'x' });
  const form = /** @type {any} */ ({ melody: {} });
  /** @type {Screen[]} */
  const screens = [
    trial({ parts: [odd] }),
    trial({ questions: [{ id: 'q', text: '?', help: null, form, language: null, required: true }] }),
    /** @type {any} */ ({ ...EVERY, screen: 'survey' }),
  ];
  for (const screen of screens) {
    const { state } = after([{ type: 'screen', screen }]);
    assert.ok(state.at === 'trouble' && state.reason === 'too-old');
  }
});

test('after a wait, the rater begins, whatever the first trial is', () => {
  /** @type {Screen} */
  const waiting = {
    ...EVERY,
    ...{ screen: 'waiting', minutes: 1, minutes_at_most: 20, minutes_left: 20 },
    ...{ pay: '0.15', per_hour: '9.00', currency: 'USD' },
  };
  const first = before(trial(), trial({ number: 1 }));
  const called = after([
    { type: 'screen', screen: waiting },
    { type: 'screen', screen: first },
  ]);
  assert.equal(called.state.at, 'called');
  const begun = step(called, { type: 'begun' });
  assert.ok(begun.state.at === 'asking' && begun.memory.following !== null);
  // The rater starts a timed block anyway.
  const timed = trial({ parts: BRIEF });
  assert.equal(
    after([
      { type: 'screen', screen: waiting },
      { type: 'screen', screen: timed },
    ]).state.at,
    'loading',
  );
  assert.equal(after([{ type: 'screen', screen: first }]).state.at, 'asking', 'a page that was reloaded');
});

test('an event that does not belong to the state changes nothing', () => {
  const asking = after([{ type: 'screen', screen: trial() }]);
  /** @type {Event[]} */
  const stray = [
    { type: 'rested' },
    { type: 'begun' },
    { type: 'loaded' },
    { type: 'started' },
    { type: 'feedback-over' },
    { type: 'declined' },
    { type: 'presented', presented: { display: null, ended: 0, factor: 1 } },
    receiptOf(answered(trial()), trial()),
    { type: 'refused', of: answered(trial()).report, message: '' },
  ];
  for (const event of stray) assert.equal(step(asking, event), asking, event.type);
});

test('a countdown, a mask or an exposure makes a trial timed; conditions do not', () => {
  const timed = (/** @type {ScreenTrial["parts"]} */ parts) => isTimed(trial({ parts }).trial);
  assert.equal(timed(BRIEF), true);
  assert.equal(timed([{ part: 'countdown', from: 3, each_ms: 500 }]), true);
  assert.equal(timed([{ part: 'masks', images: [], each_ms: 30 }]), true);
  assert.equal(timed([{ part: 'gallery', images: [], exposure_ms: 100 }]), true);
  assert.equal(timed([{ part: 'gallery', images: [], exposure_ms: null }]), false);
  assert.equal(timed([{ part: 'condition', kind: 'prompt', label: null, text: 'x', image: null }]), false);
});

test('an unsuitable device is refused with the reasons', () => {
  const needs = { width: 1024, height: 768, refresh_hz: 60, keyboard: true };
  /** @type {Environment} */
  const fine = {
    width: 1024,
    height: 768,
    pixel_ratio: 1,
    touch: false,
    refresh_hz: 59.94,
    frame_us: 16683,
    frame_spread: 0.01,
    grain_us: 5,
    reduced_motion: false,
  };
  assert.deepEqual(unmet(needs, fine), []);
  assert.deepEqual(unmet(needs, { ...fine, width: 390, refresh_hz: 30, touch: true }), ['size', 'refresh', 'keyboard']);
  assert.deepEqual(unmet({ ...needs, keyboard: false }, { ...fine, touch: true }), []);
});

/** A page that asks a trial to which something comes before. @returns {Page} */
function second() {
  const page = step(beginning(), { type: 'screen', screen: { ...trial({ number: 1 }), back: true } });
  assert.equal(page.state.at, 'asking');
  return page;
}

/** The trial before, with the answer given to it. @returns {TrialPage} */
const given = () => ({ ...trial({ number: 0, rest_ms: 9_000 }), given: { answer: { q: 0 }, revision: 1 } });

test('a rater returns to the trial before and keeps the answer', () => {
  const page = second();
  const returning = step(page, { type: 'back' });
  assert.equal(returning.state.at, 'returning');
  const again = step(returning, { type: 'screen', screen: given() });
  // There is no rest before it, as the rater has had it.
  assert.ok(again.state.at === 'asking' && again.state.screen.trial.number === 0);
  const kept = step(again, { type: 'keep' });
  assert.deepEqual(kept.state, page.state);
  assert.equal(kept.memory.left, null);
});

test('a corrected answer leads to the trial that was left', () => {
  const again = step(step(second(), { type: 'back' }), { type: 'screen', screen: given() });
  const event = answered(given());
  const saving = step(again, event);
  assert.equal(saving.state.at, 'saving');
  const next = { ...trial({ number: 1 }), back: true };
  const after = step(saving, receiptOf(event, next));
  assert.ok(after.state.at === 'asking' && after.state.screen.trial.number === 1);
});

test('what stalls while an answer is corrected plays again, and the answer stays', () => {
  const again = step(step(second(), { type: 'back' }), { type: 'screen', screen: given() });
  const body = { trial: 0, showing: 0, reason: /** @type {const} */ ('stalled'), display: null };
  const after = step(again, { type: 'report', report: { to: 'disturbed', body } });
  assert.deepEqual(after, again);
  assert.notEqual(after.state, again.state);
});

test('raters cannot return where the server does not offer it', () => {
  const page = step(beginning(), { type: 'screen', screen: trial() });
  assert.equal(step(page, { type: 'back' }), page);
  assert.equal(step(page, { type: 'keep' }), page);
});

test('a late receipt does not move a rater who has returned', () => {
  const again = step(step(second(), { type: 'back' }), { type: 'screen', screen: given() });
  const late = receiptOf(answered(trial({ number: 0 })), { ...trial({ number: 1 }), back: true });
  assert.equal(step(again, late), again);
});
