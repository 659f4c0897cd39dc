// The operator's page: what happens in a study, and what the operator can do about it, on one screen; the details in a tab of their
// own.

import { checks, count, lasting, timing } from './figures.js';
import { h } from './dom.js';
import { actions, raterAction } from './operator/actions.js';
import { alerts } from './operator/alerts.js';
import { title } from './operator/alert-words.js';
import { raterCards } from './operator/cards.js';
import { Drawings, charts } from './operator/charts.js';
import { crowd } from './operator/crowd.js';
import { tabTitle } from './operator/crowd-figures.js';
import { ask } from './operator/dialog.js';
import { estimates } from './operator/estimates.js';
import { estimatesAge, freshness } from './operator/freshness.js';
import { authorized } from './operator/key.js';
import { actionLog } from './operator/log.js';
import { numbers } from './operator/numbers.js';
import { panels } from './operator/panels.js';
import { figureList, put, section } from './operator/parts.js';
import { raters } from './operator/raters.js';
import { side, sideRows } from './operator/side.js';
import { stopping } from './operator/stopping.js';
import { follow } from './operator/stream.js';
import { tabs } from './operator/tabs.js';

/**
 * @import { Alert, ItemCoverage, Status } from "../page.js"
 * @import { Contact } from "./operator/freshness.js"
 */

const ADMISSION = { open: 'Open', paused: 'Paused', closed: 'Closed' };

/** Tasks whose names are written in another way than their kinds. @type {Record<string, string>} */
const TASKS = { hype_time: 'HYPE-time', hype_infinity: 'HYPE-infinity' };

/** @param {string} kind */
const taskOf = (kind) => TASKS[kind] ?? kind.replaceAll('_', ' ');

/** A screen on which raters are cards, as in the style sheet. */
const PHONE = matchMedia('(max-width: 48rem)');

/** Shows a text that is too long for the page. @param {string} title @param {import("./dom.js").Child[]} about */
const explain = (title, about) => void ask({ title, about, verb: 'Done', act: () => Promise.resolve(null) });

/** @param {ItemCoverage | undefined} items */
function listItems(items) {
  const rows = (items?.least ?? []).map(
    ({ name, answers }) => /** @type {[string, string]} */ ([name, count(answers)]),
  );
  explain('Items with the fewest answers', [figureList(rows)]);
}

/** All that the first tab has no room for. @param {Drawings} drawings */
function details(drawings) {
  const [models, rule, log] = [estimates(), stopping(), actionLog()];
  const age = h('p', { class: 'soft' });
  const quality = section('Quality', (/** @type {Pick<Status, "timing" | "checks">} */ status) => {
    const told = status.timing && timing(status.timing);
    if (told === null && status.checks.length === 0) return null;
    return [
      told && [h('h3', {}, 'Displays'), h('p', {}, told.planned), h('p', { class: 'soft' }, told.rest)],
      status.checks.length ? [h('h3', {}, 'Checks'), figureList(checks(status.checks))] : null,
    ];
  });
  const coverage = section('Coverage', (/** @type {Pick<Status, "models" | "items">} */ { models, items }) => [
    h('h3', {}, 'Answers by model'),
    figureList(models.map(({ name, answers }) => [name, count(answers)])),
    h('h3', {}, 'Items with the fewest answers'),
    figureList(items.least.map(({ name, answers }) => [name, count(answers)])),
  ]);
  const refused = section('Refused requests', (/** @type {Status["refused"]} */ requests) => {
    const all = Object.entries(requests);
    return all.length ? [figureList(all.map(([code, number]) => [code, count(number)]))] : null;
  });
  const about = section('Study', (/** @type {Pick<Status, "task" | "places" | "control" | "role">} */ status) => [
    figureList([
      ['Task', taskOf(status.task)],
      ['Places', `${count(status.places)}, of which ${count(status.control.extra_places)} were added`],
      ['This key', status.role === 'operator' ? 'lets its holder act' : 'lets its holder look'],
    ]),
    h('p', { class: 'soft' }, 'Other keys are made by hype operator STUDY key NAME.'),
  ]);
  const parts = [models, rule].map(({ element }) => element);
  const rest = [quality, coverage, log, refused, about].map(({ element }) => element);
  return {
    element: h('div', { class: 'details' }, age, parts, charts(drawings), rest),
    age,
    /** @param {Status} status */
    update(status) {
      const { timing, checks, models: covered, items, control } = status;
      models.update(status);
      rule.update({ stopping: status.stopping, estimates: status.estimates, free: status.free, held: status.held });
      quality.update({ timing, checks });
      coverage.update({ models: covered, items });
      log.update({ recent: control.recent, actions: control.actions });
      refused.update(status.refused);
      about.update({ task: status.task, places: status.places, control, role: status.role });
    },
  };
}

/** The parts of the page, which stay while their contents change. */
function layout() {
  const [name, admission, facts] = [h('h1', {}, 'Study'), h('span', { class: 'badge' }), h('span', { class: 'soft' })];
  const fresh = h('span', { class: 'fresh soft' }, 'connecting');
  /** @type {Status | null} */
  let latest = null;
  let received = 0;
  const drawings = new Drawings();
  const acting = actions();
  const open = () => parts.choose('details');
  const [shown, board] = [numbers(), panels(drawings, () => listItems(latest?.items))];
  const [people, cards] = [raters(raterAction), raterCards(raterAction)];
  const [aside, rows] = [side(open), sideRows(open)];
  const [folded, recruited] = [details(drawings), crowd()];
  const alarm = alerts(act);
  const study = h(
    'div',
    { class: 'study' },
    alarm.element,
    shown.element,
    board.element,
    h('div', { class: 'bottom' }, people.element, cards.element, aside.element, rows.element),
  );
  const parts = tabs('Parts of the page', [
    { name: 'study', title: 'Study', panel: study },
    { name: 'details', title: 'Details', panel: folded.element },
    { name: 'crowd', title: 'Crowd', panel: recruited.element },
  ]);
  parts.offer('crowd', false, 'Crowd');
  const fit = () => {
    people.show(!PHONE.matches);
    cards.show(PHONE.matches);
  };
  PHONE.addEventListener('change', fit);
  fit();

  /** Does the one thing about an alert. @param {Alert} alert */
  function act(alert) {
    switch (alert.kind) {
      case 'problem':
        return explain(alert.problem, [h('p', {}, alert.reason)]);
      case 'few-answers':
        return listItems(latest?.items);
      case 'fast':
        return PHONE.matches ? cards.look() : people.look(alert.rater);
      case 'stalled':
        return PHONE.matches ? cards.look() : people.look('idle');
      default:
        return parts.choose('crowd');
    }
  }

  return {
    view: [
      h(
        'header',
        {},
        h('div', { class: 'title' }, name, admission, h('p', {}, facts, ' ', fresh)),
        parts.list,
        acting.element,
      ),
      study,
      folded.element,
      recruited.element,
    ],
    /** @param {Status} status @param {number} now */
    update(status, now) {
      [latest, received] = [status, now];
      put(name, status.name);
      if (document.title !== title(status)) document.title = title(status);
      put(admission, ADMISSION[status.control.admission]);
      admission.dataset['state'] = status.control.admission;
      put(facts, `${taskOf(status.task)} · open for ${lasting((status.unix_ms - status.opened_unix_ms) / 1_000)} ·`);
      for (const part of [acting, alarm, shown, board, people, cards, aside, rows, folded]) part.update(status);
      drawings.update(status.figures);
      recruited.update(status.crowd, status.role, status.waiting);
      parts.offer('crowd', status.crowd !== null || status.waiting !== null, tabTitle(status.crowd));
    },
    /** @param {Contact} contact @param {number} now */
    tick(contact, now) {
      const { isLost, text } = freshness(contact, now);
      fresh.classList.toggle('fault', isLost);
      put(fresh, text);
      alarm.lost(isLost);
      if (latest) put(folded.age, `Estimates ${estimatesAge(latest.estimates_age_us, received, now)}`);
    },
  };
}

/** @param {Node[]} children */
function show(children) {
  document.getElementById('main')?.replaceChildren(...children);
}

async function run() {
  const page = layout();
  /** @type {Contact} */
  let contact = { isReached: false, at: performance.now() };
  show(page.view);
  const ticking = setInterval(() => page.tick(contact, performance.now()), 1_000);
  await follow(
    {
      status: (status) => page.update(status, performance.now()),
      reached: () => {
        contact = { isReached: true, at: performance.now() };
        page.tick(contact, contact.at);
      },
      refused: () => {
        clearInterval(ticking);
        const why = 'The token is missing or wrong. Open the address that the program has printed.';
        show([h('div', { class: 'stranger' }, h('h1', {}, "The operator's page"), h('p', { class: 'fault' }, why))]);
      },
    },
    {
      ask: (path, signal) => fetch(path, { headers: authorized(), cache: 'no-store', signal }),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      now: () => performance.now(),
    },
  );
}

void run();
