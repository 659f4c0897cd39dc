// What the operator can do, each after a dialog that says what will happen.

import { count, verdict } from '../figures.js';
import { h } from '../dom.js';
import { requestName, send } from './act.js';
import { ask } from './dialog.js';
import { post } from './key.js';

/**
 * @import { Act, RaterRow, OperatorRole, Status } from "../../page.js"
 */

/** @param {string} text @param {string} name @param {string} kind */
function save(text, name, kind) {
  const address = URL.createObjectURL(new Blob([text], { type: kind }));
  h('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Adds what needs nothing but a confirmation. @param {string} title @param {string} about @param {string} verb @param {Act} act @param {boolean} [grave] */
function simple(title, about, verb, act, grave = false) {
  const id = requestName();
  return ask({
    title,
    about: [h('p', {}, about)],
    verb,
    grave,
    act: async () => {
      await send(id, act);
      return null;
    },
  });
}

/** @param {string} min @param {string} max @param {string} value */
const number = (min, max, value) =>
  h('input', { type: 'number', min, max, value, required: true, inputmode: 'numeric' });

/** What an action means for the listings of a panel, if it has some. @param {Status | null} status @param {string} what */
const alsoAt = (status, what) => (status?.crowd?.seen?.reason ? ` At ${status.crowd.panel}, ${what}.` : '');

/** @param {Status | null} status */
function topUp(status) {
  const [id, field] = [requestName(), number('1', '100000', '10')];
  return ask({
    title: 'Add places',
    about: [
      h(
        'p',
        {},
        'That many more raters can complete the study. The plan continues where it ended, balanced as before. Places cannot be taken away again.' +
          alsoAt(status, 'they are offered as far as the spending limit allows'),
      ),
    ],
    verb: 'Add places',
    field,
    label: 'Places to add',
    act: async () => {
      await send(id, { kind: 'top-up', places: field.valueAsNumber });
      return null;
    },
  });
}

function links() {
  const [id, field] = [requestName(), number('1', '10000', '10')];
  return ask({
    title: 'Make links',
    about: [h('p', {}, 'Each link lets one rater in. They are not shown again: save the file.')],
    verb: 'Make links',
    field,
    label: 'Number of links',
    act: async () => {
      const made = await send(id, { kind: 'links', count: field.valueAsNumber });
      const base = new URL('./', location.href);
      const lines = made.links.map((link) => `${base}?link=${link}`);
      save(`link\n${lines.join('\n')}\n`, 'links.csv', 'text/csv');
      return [h('p', {}, `${count(lines.length)} links were saved as links.csv.`)];
    },
  });
}

/** @param {string} file */
async function download(file) {
  const response = await post(`operator/download/${encodeURIComponent(file)}`, {});
  const address = URL.createObjectURL(await response.blob());
  h('a', { href: address, download: file }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** @param {Status} status */
function downloads({ control }) {
  const chosen = h(
    'div',
    { class: 'choices' },
    control.downloads.map(({ file, about }) => {
      const fault = h('span', { class: 'fault', role: 'alert' });
      const button = h('button', { type: 'button', class: 'quiet' }, file);
      button.addEventListener('click', () => {
        button.disabled = true;
        fault.textContent = '';
        download(file)
          .catch((error) => (fault.textContent = error.message))
          .finally(() => (button.disabled = false));
      });
      return h('div', {}, button, h('span', {}, about), fault);
    }),
  );
  return ask({
    title: 'Download',
    about: [
      h('p', {}, 'None of these files contains the ids of a panel’s participants. Each download is logged.'),
      chosen,
    ],
    verb: 'Done',
    act: () => Promise.resolve(null),
  });
}

/**
 * The button of a rater's row.
 * @param {RaterRow} row
 * @param {OperatorRole} role
 */
export function raterAction(row, role) {
  if (role !== 'operator') return null;
  const includes = row.excluded !== null;
  if (row.state === 'erased') return null;
  const verb = includes ? 'Include' : 'Exclude';
  const name = `${verb} ${row.rater}`;
  return h(
    'button',
    {
      type: 'button',
      class: 'quiet',
      'data-name': name,
      'aria-label': `${verb} rater ${row.rater.slice(0, 10)}`,
      onclick: () => void decide(row, includes),
    },
    `${verb}…`,
  );
}

/** @param {RaterRow} row @param {boolean} includes */
function decide(row, includes) {
  const field = h('input', { type: 'text', required: true, maxlength: '500', autocomplete: 'off' });
  const id = requestName();
  const kind = includes ? 'include' : 'exclude';
  const about = includes
    ? 'The rater counts again. If another rater has taken the place in the meantime, both count.'
    : 'The findings leave this rater out and say so, with the reason: “excluded by the operator”. They show the estimates ' +
      'with and without. If the session was completed, its place is open again for another rater.';
  return ask({
    title: `${includes ? 'Include' : 'Exclude'} rater ${row.rater.slice(0, 10)}`,
    about: [
      h('p', {}, about),
      h('p', {}, h('strong', {}, 'The declared rules say: '), verdict({ ...row, excluded: null })),
    ],
    verb: includes ? 'Include' : 'Exclude',
    grave: !includes,
    field,
    label: 'Reason, which becomes part of the findings',
    act: async () => {
      await send(id, { kind, rater: row.rater, reason: field.value });
      return null;
    },
  });
}

/** Offers buttons that the page has no room for. @param {readonly HTMLButtonElement[]} buttons */
function choose(buttons) {
  /** @type {HTMLButtonElement | null} */
  let chosen = null;
  const offered = buttons.filter((one) => !one.hidden);
  const choices = offered.map((one) => h('button', { type: 'button', class: 'quiet' }, one.textContent ?? ''));
  const asked = ask({
    title: 'More actions',
    about: [h('div', { class: 'choices' }, choices)],
    verb: 'Done',
    act: () => Promise.resolve(null),
  });
  choices.forEach((choice, at) => {
    choice.addEventListener('click', () => {
      chosen = offered[at] ?? null;
      choice.closest('dialog')?.close();
    });
  });
  return asked.then(() => chosen?.click());
}

/** The buttons of the study. */
export function actions() {
  const button = (
    /** @type {string} */ text,
    /** @type {() => void} */ onclick,
    /** @type {string} */ kind = 'quiet',
  ) => h('button', { type: 'button', class: kind, onclick }, text);
  /** @type {Status | null} */
  let latest = null;
  const pause = button(
    'Pause',
    () =>
      void simple(
        'Pause the study',
        'Nobody may enter until you resume the study. Those who have entered may finish. Who comes in the meantime reads that the study is paused.' +
          alsoAt(latest, 'the listings are paused as well'),
        'Pause',
        { kind: 'pause' },
      ),
  );
  const resume = button(
    'Resume',
    () =>
      void simple(
        'Resume the study',
        'Raters may enter again.' + alsoAt(latest, 'the listings are open again as well'),
        'Resume',
        { kind: 'resume' },
      ),
    'strong',
  );
  const close = button(
    'Close…',
    () =>
      void simple(
        'Close the study',
        'The collection ends: raters can no longer enter, and the open places stay empty. Those who have entered may finish. A running `hype run` ends when the last of them has left. You can resume the study later.' +
          alsoAt(latest, 'the listings are closed; raters at work may finish and are paid'),
        'Close the study',
        { kind: 'close' },
        true,
      ),
  );
  const more = button('Add places…', () => void topUp(latest));
  const reopen = button(
    'Reopen given-up places…',
    () =>
      void simple(
        'Reopen given-up places',
        'Places that were given up can be claimed again, with as many replacements as at the start.',
        'Reopen',
        { kind: 'reopen' },
      ),
  );
  const link = button('Make links…', () => void links());
  const files = button('Download…', () => latest && void downloads(latest));
  // On a phone, all but the first two are behind a button.
  const rest = [reopen, link, files, close];
  for (const one of rest) one.classList.add('rare');
  const others = button('More…', () => void choose(rest));
  others.classList.add('others');
  const bar = h(
    'div',
    { class: 'actions', role: 'group', 'aria-label': 'Actions', hidden: true },
    pause,
    resume,
    more,
    rest,
    others,
  );
  const looks = h('p', { class: 'soft looks', hidden: true }, 'This key lets you look, not act.');
  return {
    element: h('div', { class: 'acting bar' }, bar, looks),
    /** @param {Status} status */
    update(status) {
      latest = status;
      const { control, role } = status;
      bar.hidden = role !== 'operator';
      looks.hidden = role === 'operator';
      pause.hidden = control.admission !== 'open';
      resume.hidden = control.admission === 'open';
      close.hidden = control.admission === 'closed';
      reopen.hidden = status.given_up === 0;
      link.hidden = !control.takes_links;
      files.hidden = control.downloads.length === 0;
    },
  };
}
