// The operator's side of the mock server: a study that recruits, which changes as the operator decides.

/**
 * @import { IncomingMessage, ServerResponse } from "node:http"
 * @import { ActReceipt, ActRequest, CrowdAct, CrowdOverview, CrowdSeen, OperatorAction, RaterGroup, RaterList, RaterQuery, RaterRow,
 *   Status, WaitingRoom } from "../../page.js"
 */

const HEADERS = { 'cache-control': 'no-store', 'content-type': 'application/json' };

/** The keys of the page. */
export const KEYS = { operator: 'a'.repeat(64), reader: 'b'.repeat(64) };

/** A reason that is long enough. */
export const REASON =
  'The session was opened and left without a single answer, and the code was made up by the person who came.';

/** What a platform says in the middle of a study. @returns {CrowdSeen} */
export const midway = () => ({
  ...{
    recruited: 31,
    pending: 1,
    working: 4,
    to_review: 3,
    approved: 22,
    rejected: 1,
    returned: 2,
    finished: 25,
    needed: 5,
    offered: 5,
  },
  money: {
    ...{ currency: 'USD', paid: 36.5, fees: 12.15, promised: 1.5, unclear: 2.4, committed: 52.55, limit: 80 },
    ...{ hourly: 7.2, hourly_least: 8, hourly_recommended: 12 },
  },
  listings: [
    { listing: 1, state: 'open', places: 9, taken: 4 },
    { listing: 0, state: 'closed', places: 25, taken: 25 },
  ],
  listings_left_out: 0,
  waiting: [
    {
      ...{ work: 'p000003-001', rater: 'r0a1b2c3d4e5f60718293a4b5c6d7e8f9', failed: ['gold', 'catch'], earned: 1.4 },
      why: 'the operator reviews all work',
    },
    { work: 'u7f3a9c', rater: null, why: 'it was handed in without a session', failed: [], earned: 0 },
  ],
  waiting_left_out: 0,
  reason: { shortest: 100, longest: 1_000 },
  unsettled: [
    {
      ...{ work: 'p000008-000', purpose: 'bonus', amount: 1.2, state: 'unclear', sendings: 2 },
      why: 'the platform does not say whether it was made',
    },
  ],
  unsettled_left_out: 0,
  problems: [],
});

/** When the study of the mock server opened, and what its clock says. */
const [OPENED, NOW] = [1_788_182_520_000, 1_788_188_400_000];

/**
 * A study whose people come from a panel.
 * @param {CrowdOverview | null} crowd
 * @param {WaitingRoom | null} waiting
 * @returns {Omit<Status, "role">}
 */
const study = (crowd, waiting) => ({
  ...{ name: 'faces', task: 'hype_infinity', opened_unix_ms: OPENED, unix_ms: NOW },
  ...{ places: 30, done: 22, held: 4, given_up: 0, free: 4 },
  raters: { active: 3, idle: 1, completed: 22, not_qualified: 1, left: 3, excluded: 0 },
  counted: {
    sessions: 30,
    completed: 22,
    disqualified: 1,
    screened_out: 0,
    left: 3,
    in_progress: 4,
    erased: 0,
    answers: 2_480,
  },
  ...{ sessions_read: 30, sessions_unreadable: 0, cost: { currency: 'USD', so_far: 41.2, to_come: 8, each: 1 } },
  control: {
    ...{ admission: 'open', extra_places: 0, excluded: 0, takes_links: false },
    ...{ downloads: [], actions: 0, recent: [] },
  },
  ...{ pace: { ten_minutes: 1, hour: 6, bins: [0, 2, 1, 0, 1, 1] }, estimates_age_us: null, estimates: [] },
  ...{ measures_left_out: 0, figures: [], stopping: null, timing: null, checks: [], models: [] },
  ...{ items: { items: 0, median: 0, bins: [], few: null, least: [] }, alerts: [], alerts_left_out: 0 },
  ...{ alerts_resolved: 0, refused: {}, crowd, waiting },
});

/** The keys of synthetic raters. @param {number} number */
const keyOf = (number) =>
  `r${(((number + 1) * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0')}`.padEnd(33, '0123456789abcdef');

/** A rater in the middle of a run. @param {number} number @param {Partial<RaterRow>} more @returns {RaterRow} */
const rater = (number, more) => ({
  rater: keyOf(number),
  ...{ state: 'rating', models: [['vae', 'ddpm', 'stylegan2'][number % 3] ?? ''], answered: number % 41, at_most: 41 },
  ...{ idle_us: (number % 50) * 1_000_000, median_us: 700_000 + 10_000 * (number % 40), fast: 0, hidden: 0 },
  ...{ attention: false, flags: null, excluded: null },
  ...more,
});

/** Three hundred raters of a study in the middle of its run. @returns {RaterRow[]} */
export function threeHundred() {
  const fast = { answered: 34, fast: 31, median_us: 210_000, attention: true, idle_us: 42_000_000 };
  const rows = [rater(0, { ...fast, models: ['ddpm'] })];
  for (let number = 1; number < 57; number += 1) rows.push(rater(number, { answered: 38 - (number % 36) }));
  const idle = /** @type {const} */ ({ state: 'idle', hidden: 2, idle_us: 190_000_000 });
  for (let number = 57; number < 60; number += 1) rows.push(rater(number, idle));
  const over = { answered: 41, flags: [], idle_us: 900_000_000 };
  for (let number = 60; number < 293; number += 1) rows.push(rater(number, { ...over, state: 'completed' }));
  for (let number = 293; number < 297; number += 1) rows.push(rater(number, { ...over, state: 'disqualified' }));
  rows.push(rater(297, { state: 'left' }), rater(298, { state: 'left' }));
  const excluded = { reason: 'said he guessed', by: 'operator', unix_ms: NOW - 600_000 };
  rows.push(rater(299, { ...over, state: 'excluded', excluded }));
  return rows;
}

/** The group of each state. @type {Record<RaterRow["state"], RaterGroup>} */
const GROUP = {
  ...{ rating: 'active', waiting: 'active', resting: 'active', idle: 'idle', away: 'left', completed: 'completed' },
  ...{
    excluded: 'excluded',
    disqualified: 'not-qualified',
    'screened-out': 'not-qualified',
    left: 'left',
    erased: 'left',
  },
};

/** An estimate of the run. @param {string} model @param {number} value @param {number} low @param {number} high @param {number} raters */
const estimate = (model, value, low, high, raters) => ({
  ...{ model, value, raters, with_excluded: null },
  interval: { low, high, level: 0.95, method: 'Student’s t' },
});

/**
 * The state of a study with three hundred raters, most of them done.
 * @returns {Omit<Status, "role">}
 */
export function busy() {
  const counts = {
    sessions: 300,
    completed: 234,
    disqualified: 4,
    screened_out: 0,
    left: 2,
    in_progress: 60,
    erased: 0,
  };
  const entry = (/** @type {number} */ minutes, /** @type {OperatorAction} */ action) => ({
    ...{ id: `${minutes}`, by: 'operator', unix_ms: NOW - minutes * 60_000, action },
  });
  return {
    ...study(null, null),
    ...{ name: 'op', places: 400, done: 233, held: 60, free: 107 },
    raters: { active: 57, idle: 3, completed: 233, not_qualified: 4, left: 2, excluded: 1 },
    counted: { ...counts, answers: 9_608 },
    cost: { currency: 'USD', so_far: 326.2, to_come: 233.8, each: 1.4 },
    control: {
      ...{ admission: 'open', extra_places: 100, excluded: 1, takes_links: false },
      downloads: [{ file: 'scores.csv', about: 'scores' }],
      actions: 2,
      recent: [
        entry(14, { kind: 'exclude', rater: keyOf(299), session: 'p000299-000', reason: 'said he guessed' }),
        entry(36, { kind: 'top-up', places: 100 }),
      ],
    },
    pace: { ten_minutes: 12, hour: 61, bins: [1, 0, 3, 2, 2, 4, 2, 6, 5, 9, 7, 7, 6, 9, 8, 11, 13, 12, 7, 5] },
    ...{ estimates_age_us: 4_000_000, refused: { 'not-the-operator': 9, 'not-found': 1 } },
    estimates: [
      {
        measure: { name: 'error', label: 'Judged wrong', unit: 'proportion', direction: 'higher' },
        estimates: [
          estimate('vae', 0.513, 0.467, 0.558, 78),
          estimate('stylegan2', 0.466, 0.423, 0.509, 77),
          estimate('ddpm', 0.434, 0.392, 0.477, 78),
        ],
        left_out: 0,
      },
    ],
    figures: ['f1', 'f4'].map((key) => ({ key, title: key, about: `Figure ${key}`, version: '1' })),
    timing: { displayed: 9_608, exact: 9_560, suspect: 48, disturbed: { hidden: 6 }, refresh_hz: { 60: 280, 144: 20 } },
    checks: [{ name: 'catch', consequence: 'flag', passed: 232, failed: 1, unclear: 0 }],
    models: [
      { name: 'vae', place: 0, answers: 3_169, raters: 78, places: 134 },
      { name: 'stylegan2', place: 2, answers: 3_198, raters: 77, places: 133 },
      { name: 'ddpm', place: 1, answers: 3_241, raters: 78, places: 133 },
    ],
    items: {
      ...{ items: 196, median: 49, few: { from: 0, to: 24, items: 3 } },
      bins: [3, 14, 38, 61, 47, 22, 11].map((items, at) => ({ from: 20 + 10 * at, to: 29 + 10 * at, items })),
      least: ['dog_0012.png', 'cat_0004.png', 'face_0119.png'].map((name, at) => ({ name, answers: 20 + at })),
    },
    alerts: [
      { kind: 'fast', rater: keyOf(0), fast: 31, answered: 34, below_ms: 250 },
      { kind: 'few-answers', items: 3, fewer_than: 25 },
    ],
    alerts_resolved: 4,
  };
}

/** A figure as wide as the program's. @param {string} key @param {string} layout */
function figure(key, layout) {
  const [width, height] = layout === 'wide' ? [736, 230] : [350, 240];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    `<rect width="100%" height="100%" fill="#fff"/><text x="8" y="20" font-size="13">${key} ${layout}</text>` +
    '<rect x="80" y="60" width="220" height="24" fill="#0069a8"/><rect x="60" y="120" width="180" height="24" fill="#17a078"/></svg>'
  );
}

/** The operator's side of a study. */
export class OperatorSide {
  /** @type {CrowdOverview | null} */
  crowd = { panel: 'Prolific', not_reached: null, seen: midway() };
  /** The raters who wait, in a study that is held open. @type {WaitingRoom | null} */
  waiting = null;
  /** The state, if it is not that of a study that recruits. @type {Omit<Status, "role"> | null} */
  state = null;
  /** @type {RaterRow[]} */
  rows = [];
  /** The bytes of each reply about raters, and of each event. @type {{ raters: number[], events: number[] }} */
  sent = { raters: [], events: [] };
  /** Requests by their names, in the order in which they came. @type {ActRequest[]} */
  acts = [];
  /** Why the platform does not carry out the next decision. @type {string | null} */
  pending = null;
  /** Why the server refuses the next decision. @type {string | null} */
  refusal = null;
  /** @type {Map<ServerResponse, "operator" | "reader">} */
  #viewers = new Map();

  /** @param {string} path */
  takes(path) {
    return path.startsWith('operator/');
  }

  /** Tells all viewers what has changed. */
  tell() {
    for (const [viewer, role] of this.#viewers) viewer.write(this.#event(role));
  }

  /** @param {"operator" | "reader"} role */
  #event(role) {
    const state = this.state ?? study(this.crowd, this.waiting);
    const text = `event: status\ndata: ${JSON.stringify({ role, ...state })}\n\n`;
    this.sent.events.push(text.length);
    return text;
  }

  /** @param {string} path @param {IncomingMessage} request @param {ServerResponse} response */
  async serve(path, request, response) {
    const token = (request.headers.authorization ?? '').replace('Bearer ', '');
    const role = /** @type {const} */ (['operator', 'reader']).find((role) => KEYS[role] === token);
    const refuse = (/** @type {number} */ status, /** @type {string} */ code, message = code) =>
      void response.writeHead(status, HEADERS).end(JSON.stringify({ error: { code, message } }));
    if (role === undefined) return refuse(401, 'not-the-operator');
    if (path === 'operator/events') {
      response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' }).write(this.#event(role));
      this.#viewers.set(response, role);
      response.on('close', () => this.#viewers.delete(response));
      return;
    }
    const [, key = '', layout] = /^operator\/figure\/(\w+)\/(wide|narrow)$/.exec(path) ?? [];
    if (layout)
      return void response.writeHead(200, { ...HEADERS, 'content-type': 'image/svg+xml' }).end(figure(key, layout));
    if (path === 'operator/raters') return this.#list(await body(request), response);
    if (path !== 'operator/act') return refuse(404, 'not-found');
    if (role === 'reader') return refuse(403, 'read-only-key');
    const asked = /** @type {ActRequest} */ (await body(request));
    this.acts.push(asked);
    const [refusal, pending] = [this.refusal, this.pending];
    [this.refusal, this.pending] = [null, null];
    if (refusal !== null) return refuse(422, 'refused', refusal);
    if (asked.act.kind === 'call' && this.waiting !== null) this.waiting = { ...this.waiting, is_called: true };
    const done = asked.act.kind === 'crowd' ? this.#decide(asked.act.decision) : asked.act.kind;
    /** @type {ActReceipt} */
    const receipt = { done, pending, links: [] };
    response.writeHead(200, HEADERS).end(JSON.stringify(receipt));
    this.tell();
  }

  /** @param {RaterQuery} query @param {ServerResponse} response */
  #list({ group = null, find = '', skip = 0 }, response) {
    const found = this.rows.filter(
      (row) => row.rater.startsWith(find) && (group === null || GROUP[row.state] === group),
    );
    found.sort((a, b) => Number(b.attention) - Number(a.attention) || b.answered - a.answered);
    /** @type {RaterList} */
    const list = { matching: found.length, below_ms: 250, raters: found.slice(skip, skip + 50) };
    const text = JSON.stringify(list);
    this.sent.raters.push(text.length);
    response.writeHead(200, HEADERS).end(text);
  }

  /** @param {CrowdAct} decision */
  #decide(decision) {
    const seen = this.crowd?.seen;
    if (!seen) return 'nothing';
    switch (decision.kind) {
      case 'approve':
      case 'reject':
        seen.waiting = seen.waiting.filter(({ work }) => work !== decision.work);
        return `${decision.kind}ed ${decision.work}`.replace('eed', 'ed');
      case 'settle':
        seen.unsettled = seen.unsettled.filter(({ work }) => work !== decision.payment.session);
        return `noted that ${decision.payment.session}/${decision.payment.purpose} was ${decision.made}`;
      case 'pay':
        return 'paid what is due';
    }
  }
}

/** The content of a request. @param {IncomingMessage} request */
async function body(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
