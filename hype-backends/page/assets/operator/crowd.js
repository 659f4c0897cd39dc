// Recruiting: how it goes, what it costs, and what the operator has to decide.

import { h } from '../dom.js';
import { money } from '../figures.js';
import { requestName, send } from './act.js';
import {
  amounts,
  asked,
  people,
  places,
  spent,
  taken,
  waitingNow,
  whoWaits,
  whyItWaits,
  whyUnsettled,
} from './crowd-figures.js';
import { ask } from './dialog.js';
import { bar, figureList, section, table } from './parts.js';

/**
 * @import { Child } from "../dom.js"
 * @import { CrowdAct, CrowdOverview, CrowdSeen, OperatorRole, UnsettledPayment, WaitingRoom, WaitingWork } from "../../page.js"
 * @typedef {{ crowd: CrowdOverview, seen: CrowdSeen, role: OperatorRole }} Shown
 * @typedef {(told: string) => void} Told
 */

/** @type {Record<string, string>} */
const LISTING = { open: 'Open', paused: 'Paused', closed: 'Closed', planned: 'Not created yet' };

const since = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

/**
 * Asks before a decision, and sends it.
 * @param {object} asked
 * @param {string} asked.title
 * @param {Child[]} asked.about
 * @param {string} asked.verb
 * @param {string} asked.panel
 * @param {() => CrowdAct} asked.decision
 * @param {Told} asked.told
 * @param {boolean} [asked.grave]
 * @param {HTMLTextAreaElement} [asked.field]
 * @param {string} [asked.label]
 * @param {Child} [asked.hint]
 */
function decide({ panel, decision, told, ...dialog }) {
  const id = requestName();
  return ask({
    ...dialog,
    act: async () => {
      const { done, pending } = await send(id, { kind: 'crowd', decision: decision() });
      told(done === null ? '' : `Done: ${done}.`);
      if (pending === null) return null;
      return [h('p', {}, `It is decided, and ${panel} has not carried it out yet. It is asked again. ${pending}`)];
    },
  });
}

/** @param {string} text @param {string} name @param {string} label @param {() => void} onclick */
const button = (text, name, label, onclick) =>
  h('button', { type: 'button', class: 'quiet', 'data-name': name, 'aria-label': label, onclick }, text);

/** @param {WaitingWork} waiting @param {Shown} shown @param {Told} told */
function approve({ work, earned }, { crowd, seen }, told) {
  const { currency } = seen.money;
  void decide({
    title: `Approve ${work}`,
    about: [
      h(
        'p',
        {},
        `${crowd.panel} pays the reward. The rater has earned ${money(earned, currency)}; a bonus follows by itself.`,
      ),
      h('p', {}, 'Approved work cannot be rejected.'),
    ],
    verb: 'Approve',
    panel: crowd.panel,
    decision: () => ({ kind: 'approve', work }),
    told,
  });
}

/** @param {WaitingWork} waiting @param {Shown} shown @param {{ shortest: number, longest: number }} length @param {Told} told */
function reject({ work, why, failed }, { crowd }, { shortest, longest }, told) {
  const hint = h('small', { class: 'soft', id: 'reason-hint' });
  const field = h('textarea', {
    rows: '5',
    required: true,
    minlength: String(shortest),
    maxlength: String(longest),
    'aria-describedby': 'reason-hint',
  });
  const say = () => {
    const length = [...field.value.trim()].length;
    const left = Math.max(0, shortest - length);
    hint.textContent = left > 0 ? `${left} more characters are needed.` : `${length} of at most ${longest} characters.`;
  };
  field.addEventListener('input', say);
  say();
  void decide({
    title: `Reject ${work}`,
    about: [
      h('p', {}, 'The reward is not paid, and the rater reads your reason. Rejected work cannot be approved here.'),
      h('p', {}, h('strong', {}, 'It waits because: '), whyItWaits({ why, failed })),
    ],
    verb: 'Reject',
    grave: true,
    panel: crowd.panel,
    field,
    label: 'Reason, which the rater reads',
    hint,
    decision: () => ({ kind: 'reject', work, reason: field.value }),
    told,
  });
}

/** @param {UnsettledPayment} payment @param {"made" | "not-made"} made @param {Shown} shown @param {Told} told */
function settle({ work, purpose, amount, sendings }, made, { crowd, seen }, told) {
  const what = `The ${purpose} of ${money(amount, seen.money.currency)} for ${work}`;
  const about =
    made === 'made'
      ? `${what} counts as paid, and is never sent again.`
      : `${what} counts as not paid, and is sent again. If it was made after all, the rater is paid twice.`;
  void decide({
    title: made === 'made' ? 'The payment was made' : 'The payment was not made',
    about: [h('p', {}, about), h('p', {}, `Say so only after you have checked at ${crowd.panel}.`)],
    verb: made === 'made' ? 'It was made' : 'It was not made',
    grave: made === 'not-made',
    panel: crowd.panel,
    decision: () => ({ kind: 'settle', payment: { session: work, purpose }, sendings, made }),
    told,
  });
}

/** @param {CrowdOverview} crowd @returns {Child[] | null} */
function troubles({ panel, not_reached, seen }) {
  const all = [...(seen?.problems ?? [])];
  if (not_reached) {
    const { reason, since_unix_ms } = not_reached;
    const before = seen === null ? '' : ' What is shown is from before.';
    all.unshift(`${panel} has not been reached since ${since.format(since_unix_ms)}: ${reason}.${before}`);
  }
  if (all.length === 0) return null;
  return [
    h(
      'div',
      { role: 'alert' },
      h(
        'ul',
        { class: 'fault' },
        all.map((text) => h('li', {}, text)),
      ),
    ),
  ];
}

/** @param {Shown} shown @returns {Child[]} */
function spending({ crowd, seen }) {
  const { committed, limit } = seen.money;
  const hourly = asked(seen.money, crowd.panel);
  return [
    figureList(amounts(seen.money)),
    limit ? bar((100 * committed) / limit, 100, 'Spent of the limit, in percent', 'limit') : null,
    h('p', { class: 'soft' }, spent(seen.money)),
    hourly === null ? null : h('p', { class: hourly.isLess ? 'fault' : 'soft' }, hourly.text),
  ];
}

/** How many are left out. @param {number} number @param {string} what */
const more = (number, what) => (number > 0 ? h('p', { class: 'soft' }, `${number} more ${what}.`) : null);

/** @param {Shown} shown @param {Told} told @returns {Child[] | null} */
function waiting(shown, told) {
  const { seen, role } = shown;
  const { reason } = seen;
  if (seen.waiting.length === 0) return null;
  const heads = [
    { text: 'Work' },
    { text: 'Why it waits' },
    { text: 'Earned', kind: 'number' },
    { text: '', kind: 'act' },
  ];
  const rows = seen.waiting.map((one) => [
    h('code', {}, one.work),
    whyItWaits(one),
    money(one.earned, seen.money.currency),
    role !== 'operator' || reason === null
      ? null
      : h(
          'div',
          { class: 'both' },
          button('Approve', `Approve ${one.work}`, `Approve ${one.work}`, () => approve(one, shown, told)),
          button('Reject…', `Reject ${one.work}`, `Reject ${one.work}`, () => reject(one, shown, reason, told)),
        ),
  ]);
  return [table('Work to decide on', heads, rows), more(seen.waiting_left_out, 'wait')];
}

/** @param {Shown} shown @param {Told} told @returns {Child[] | null} */
function unsettled(shown, told) {
  const { crowd, seen, role } = shown;
  if (seen.unsettled.length === 0) return null;
  const byHand = seen.unsettled.some(({ state }) => state === 'by-hand');
  const about = byHand
    ? `${crowd.panel} has no interface for programs. Pay there what is listed here, then say that it was made. ` +
      '“hype export STUDY --what participants” says who is meant.'
    : `It is unknown whether ${crowd.panel} has made these payments, and they are not sent again before that is known. ` +
      `Check at ${crowd.panel} whether the rater got the amount, then say so.`;
  const heads = [
    { text: 'Work' },
    { text: 'For' },
    { text: 'Amount', kind: 'number' },
    { text: 'State' },
    { text: '', kind: 'act' },
  ];
  const rows = seen.unsettled.map((payment) => {
    const name = `${payment.purpose} of ${payment.work}`;
    const made = button('It was made', `Made ${name}`, `It was made: ${name}`, () =>
      settle(payment, 'made', shown, told),
    );
    const not = button('It was not made', `Not made ${name}`, `It was not made: ${name}`, () =>
      settle(payment, 'not-made', shown, told),
    );
    return [
      h('code', {}, payment.work),
      payment.purpose,
      money(payment.amount, seen.money.currency),
      whyUnsettled(payment),
      role === 'operator' ? h('div', { class: 'both' }, made, payment.state === 'unclear' ? not : null) : null,
    ];
  });
  return [
    h('p', { class: 'soft' }, about),
    table('Payments to settle', heads, rows),
    more(seen.unsettled_left_out, 'payments'),
  ];
}

/** @param {CrowdSeen} seen @returns {Child[] | null} */
function listings({ listings: all, listings_left_out }) {
  if (all.length === 0) return null;
  const heads = [{ text: 'Listing' }, { text: 'State' }, { text: 'Places' }, { text: '', kind: 'interval' }];
  const rows = all.map((listing) => {
    const name = `Listing ${listing.listing + 1}`;
    return [
      name,
      LISTING[listing.state] ?? listing.state,
      taken(listing),
      bar(listing.taken, listing.places, `Places taken of ${name}`),
    ];
  });
  return [table('Listings', heads, rows), more(listings_left_out, 'listings are older')];
}

/** Asks before raters are called, which cannot be taken back. @param {Told} told */
function call(told) {
  const id = requestName();
  void ask({
    title: 'Begin now',
    about: [
      h('p', {}, 'All who wait begin within seconds, and those who come later begin at once.'),
      h('p', {}, 'All places that are missing are listed. This cannot be taken back.'),
    ],
    verb: 'Begin now',
    act: async () => {
      const { done } = await send(id, { kind: 'call' });
      told(done === null ? 'Raters were called before.' : `Done: ${done}.`);
      return null;
    },
  });
}

/** The content of the tab. */
export function crowd() {
  const told = h('p', { class: 'soft told', role: 'status' });
  /** @type {Told} */
  const tell = (text) => (told.textContent = text);
  /** @type {Shown | null} */
  let latest = null;
  const pay = h('button', { type: 'button', class: 'quiet' }, 'Pay now');
  pay.addEventListener('click', () => {
    if (latest === null) return;
    void decide({
      title: 'Pay what is due',
      about: [
        h(
          'p',
          {},
          'Work that was handed in is reviewed by the rules of the spec, and every payment that is due is sent, once.',
        ),
        h('p', {}, 'This also happens by itself while the study runs.'),
      ],
      verb: 'Pay now',
      panel: latest.crowd.panel,
      decision: () => ({ kind: 'pay' }),
      told: tell,
    });
  });
  const begin = h('button', { type: 'button', class: 'quiet' }, 'Begin now');
  begin.addEventListener('click', () => call(tell));
  const bar = h('div', { class: 'actions', role: 'group', 'aria-label': 'Actions of recruiting' }, begin, pay, told);
  const held = section('Waiting room', (/** @type {WaitingRoom | null} */ room) =>
    room === null ? null : [figureList([['Waiting', waitingNow(room)]]), h('p', { class: 'soft' }, whoWaits(room))],
  );
  const none = h('p', { class: 'soft' });
  const problems = section('Problems', troubles);
  const recruiting = section('Recruiting', (/** @type {CrowdSeen} */ seen) => [
    figureList(people(seen)),
    h('p', { class: 'soft' }, places(seen)),
  ]);
  const funds = section('Money', spending);
  const work = section('Work to decide on', (/** @type {Shown} */ shown) => waiting(shown, tell));
  const payments = section('Payments to settle', (/** @type {Shown} */ shown) => unsettled(shown, tell));
  const offered = section('Listings', listings);
  const sections = [held, work, payments, recruiting, funds, offered].map(({ element }) => element);
  return {
    element: h('div', { class: 'crowd' }, bar, none, problems.element, sections),
    /** @param {CrowdOverview | null} crowd @param {OperatorRole} role @param {WaitingRoom | null} room */
    update(crowd, role, room) {
      held.update(room);
      begin.hidden = role !== 'operator' || room === null;
      begin.disabled = room === null || room.is_called;
      none.hidden = crowd === null;
      pay.hidden = true;
      if (crowd === null) return;
      const { seen, panel } = crowd;
      problems.update(crowd);
      none.textContent = `${panel} was not asked yet.`;
      none.hidden = seen !== null;
      pay.hidden = role !== 'operator' || seen === null || seen.reason === null;
      if (seen === null) return;
      latest = { crowd, seen, role };
      recruiting.update(seen);
      funds.update(latest);
      work.update(latest);
      payments.update(latest);
      offered.update(seen);
    },
  };
}
