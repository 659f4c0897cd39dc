// The operator's side of the mock server: a study that recruits, which changes as the operator decides.

/**
 * @import { IncomingMessage, ServerResponse } from "node:http"
 * @import { ActReceipt, ActRequest, CrowdAct, CrowdOverview, CrowdSeen, Status, WaitingRoom } from "../../page.js"
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

/**
 * A study whose people come from a panel.
 * @param {CrowdOverview | null} crowd
 * @param {WaitingRoom | null} waiting
 * @returns {Omit<Status, "role">}
 */
const study = (crowd, waiting) => ({
  ...{ name: 'faces', unix_ms: 1_788_220_800_000, places: 30, done: 22, held: 4, active: 3, given_up: 0, free: 4 },
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
  ...{ sessions_read: 30, sessions_unreadable: 0, cost: { currency: 'USD', so_far: 41.2, to_come: 8 } },
  control: {
    ...{ admission: 'open', extra_places: 0, excluded: 0, takes_links: false },
    ...{ downloads: [], actions: 0, recent: [] },
  },
  ...{ pace: { per_hour: 6, ends_unix_ms: 1_788_223_200_000 }, estimates_age_us: null, estimates: [] },
  ...{ measures_left_out: 0, figures: [], stopping: null, timing: null, checks: [], models: [] },
  ...{ items: { items: 0, fewest: 0, median: 0, most: 0, least: [] }, problems: [], refused: {}, crowd, waiting },
});

/** The operator's side of a study. */
export class OperatorSide {
  /** @type {CrowdOverview | null} */
  crowd = { panel: 'Prolific', not_reached: null, seen: midway() };
  /** The raters who wait, in a study that is held open. @type {WaitingRoom | null} */
  waiting = null;
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
    return `event: status\ndata: ${JSON.stringify({ role, ...study(this.crowd, this.waiting) })}\n\n`;
  }

  /** @param {string} path @param {IncomingMessage} request @param {ServerResponse} response */
  async serve(path, request, response) {
    const key = (request.headers.authorization ?? '').replace('Bearer ', '');
    const role = /** @type {const} */ (['operator', 'reader']).find((role) => KEYS[role] === key);
    const refuse = (/** @type {number} */ status, /** @type {string} */ code, message = code) =>
      void response.writeHead(status, HEADERS).end(JSON.stringify({ error: { code, message } }));
    if (role === undefined) return refuse(401, 'not-the-operator');
    if (path === 'operator/events') {
      response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' }).write(this.#event(role));
      this.#viewers.set(response, role);
      response.on('close', () => this.#viewers.delete(response));
      return;
    }
    if (path === 'operator/raters')
      return void response.writeHead(200, HEADERS).end(JSON.stringify({ matching: 0, raters: [] }));
    if (path !== 'operator/act') return refuse(404, 'not-found');
    if (role === 'reader') return refuse(403, 'read-only-key');
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const asked = /** @type {ActRequest} */ (JSON.parse(Buffer.concat(chunks).toString('utf8')));
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
