// The operator's page: what happens in a study, and what the operator can do about it.

import { checks, count, ending, headline, refusals, timing, trouble } from './figures.js';
import { h } from './dom.js';
import { actions, raterAction } from './operator/actions.js';
import { charts } from './operator/charts.js';
import { coverage } from './operator/coverage.js';
import { crowd } from './operator/crowd.js';
import { tabTitle } from './operator/crowd-figures.js';
import { estimates } from './operator/estimates.js';
import { estimatesAge, freshness } from './operator/freshness.js';
import { authorized } from './operator/key.js';
import { actionLog } from './operator/log.js';
import { figureList, section } from './operator/parts.js';
import { raters } from './operator/raters.js';
import { stopping } from './operator/stopping.js';
import { follow } from './operator/stream.js';
import { tabs } from './operator/tabs.js';

/**
 * @import { Contact } from "./operator/freshness.js"
 * @import { Status } from "../page.js"
 */

const ADMISSION = { open: 'Open', paused: 'Paused', closed: 'Closed' };

/** The parts of the page, which stay while their contents change. */
function layout() {
  const name = h('h1', {}, 'Study');
  const admission = h('span', { class: 'badge' });
  const fresh = h('span', { class: 'fresh', 'data-state': 'waiting' }, 'Connecting');
  const announced = h('p', { class: 'unseen', role: 'status' });
  const age = h('p', { class: 'age soft' }, 'No estimates yet');
  const progress = h('progress', { class: 'places', max: '1', value: '0', 'aria-label': 'Completed' });
  const end = h('p', { class: 'soft' });
  const problems = section('Problems', (/** @type {Status} */ status) =>
    status.problems.length
      ? [
          h(
            'div',
            { role: 'alert' },
            h(
              'ul',
              { class: 'fault' },
              status.problems.map((problem) => h('li', {}, trouble(problem))),
            ),
          ),
        ]
      : null,
  );
  const figures = section('Progress', (/** @type {Status} */ status) => [
    figureList(headline(status)),
    status.counted === null
      ? h('p', { class: 'soft' }, `The server is reading the logs: ${count(status.sessions_read)} sessions so far.`)
      : null,
    status.sessions_unreadable > 0
      ? h('p', { class: 'fault' }, `${count(status.sessions_unreadable)} sessions cannot be read and are not counted.`)
      : null,
  ]);
  const quality = section('Quality', (/** @type {Status} */ status) =>
    status.timing || status.checks.length
      ? [
          status.timing ? [h('h3', {}, 'Display timing'), figureList(timing(status.timing))] : null,
          status.checks.length ? [h('h3', {}, 'Checks'), figureList(checks(status.checks))] : null,
        ]
      : null,
  );
  const refused = section('Refused requests', (/** @type {[string, string][]} */ list) =>
    list.length ? [figureList(list)] : null,
  );
  const [acting, models, covered, log, people] = [actions(), estimates(), coverage(), actionLog(), raters(raterAction)];
  const rule = stopping();
  const drawn = charts();
  figures.element.append(progress, end);
  const recruited = crowd();
  const study = h(
    'div',
    {},
    problems.element,
    figures.element,
    h('div', { class: 'columns' }, models.element, covered.element),
    rule.element,
    drawn.element,
    people.element,
    h('div', { class: 'columns' }, quality.element, log.element),
    refused.element,
  );
  const parts = tabs('Parts of the page', [
    { name: 'study', title: 'Study', panel: study },
    { name: 'crowd', title: 'Crowd', panel: recruited.element },
  ]);
  parts.offer('crowd', false, 'Crowd');
  const view = [
    h('header', {}, h('div', { class: 'title' }, name, admission, fresh), age, announced, acting.element),
    parts.list,
    study,
    recruited.element,
  ];
  /** @type {Status | null} */
  let latest = null;
  let received = 0;
  let told = '';

  return {
    view,
    /** @param {Status} status @param {number} now */
    update(status, now) {
      const before = latest;
      [latest, received] = [status, now];
      name.textContent = status.name;
      document.title = `${status.done} of ${status.places} – ${status.name}`;
      admission.textContent = ADMISSION[status.control.admission];
      admission.dataset['state'] = status.control.admission;
      progress.max = Math.max(1, status.places);
      progress.value = status.done;
      end.textContent = ending(status);
      acting.update(status);
      figures.update(status);
      problems.update(status);
      quality.update(status);
      models.update(status);
      rule.update({
        stopping: status.stopping,
        estimates: status.estimates,
        free: status.free,
        held: status.held,
      });
      drawn.update(status.figures);
      covered.update({ models: status.models, items: status.items, counted: status.counted });
      refused.update(refusals(status));
      recruited.update(status.crowd, status.role, status.waiting);
      parts.offer('crowd', status.crowd !== null || status.waiting !== null, tabTitle(status.crowd));
      log.update({ recent: status.control.recent, actions: status.control.actions });
      const changed =
        before === null || before.control.actions !== status.control.actions || before.held !== status.held;
      if (changed || before.done !== status.done || before.role !== status.role) people.update(status.role);
    },
    /** @param {Contact} contact @param {number} now */
    tick(contact, now) {
      const { state, text } = freshness(contact, now);
      fresh.dataset['state'] = state;
      fresh.textContent = text;
      const said = state === 'lost' ? 'The server is not reached.' : '';
      if (said !== told) announced.textContent = told = said;
      if (latest) age.textContent = estimatesAge(latest.estimates_age_us, received, now);
    },
  };
}

/** @param {import("./dom.js").Child[]} children */
function show(children) {
  document.getElementById('main')?.replaceChildren(h('div', {}, children));
}

async function run() {
  const page = layout();
  /** @type {Contact} */
  let contact = { how: 'none', at: performance.now() };
  show(page.view);
  const ticking = setInterval(() => page.tick(contact, performance.now()), 1_000);
  await follow(
    {
      status: (status) => page.update(status, performance.now()),
      reached: (how) => {
        contact = { how, at: performance.now() };
        page.tick(contact, contact.at);
      },
      refused: () => {
        clearInterval(ticking);
        show([
          h('h1', {}, "The operator's page"),
          h('p', { class: 'fault' }, 'The token is missing or wrong. Open the address that the program has printed.'),
        ]);
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
