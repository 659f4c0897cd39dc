// Alerts in words, without touching the page.

import { clock, count, joined, money, things } from '../figures.js';

/**
 * @import { Alert, ServerProblem, Status } from "../../page.js"
 */

/**
 * What the operator reads of an alert, and the one thing to do about it.
 * @typedef {object} Told
 * @property {string} key by which an alert is the same as an earlier one
 * @property {string} lead what it is about
 * @property {string} text
 * @property {string} verb
 */

/** @type {Record<ServerProblem, [string, string]>} */
const PROBLEMS = {
  'disk-full': ['The disk is full', 'answers are refused'],
  'database-gone': ['The database’s file is gone', 'answers are refused'],
  'store-unavailable': ['The database is not reached', 'raters are asked to wait'],
  'store-failed': ['The store fails', 'answers are refused'],
  'store-damaged': ['A stored log is damaged', 'restore a backup'],
  'image-unreadable': ['A file cannot be read', 'its trials cannot be shown'],
  'analysis-failed': ['The answers cannot be analysed', 'they are stored'],
  'places-go-fast': ['Places are used up', 'faster than people can answer'],
};

/** How many alerts are shown before the operator asks for the others. */
export const SHOWN = 2;

/** The number of all alerts. @param {Pick<Status, "alerts" | "alerts_left_out">} status */
export const alertsOf = ({ alerts, alerts_left_out }) => alerts.length + alerts_left_out;

/** The beginning of a rater's key, which is enough to tell raters apart. @param {string} rater */
export const shortKey = (rater) => rater.slice(0, 9);

/**
 * @param {Alert} alert
 * @param {number} now on the server's clock
 * @returns {Told}
 */
export function told(alert, now) {
  const { kind } = alert;
  switch (alert.kind) {
    case 'problem': {
      const [lead, text] = PROBLEMS[alert.problem];
      const since = `${text}, since ${clock(alert.since_unix_ms, now)}`;
      return { key: alert.problem, lead, text: since, verb: 'Why' };
    }
    case 'panel-lost': {
      const text = `is not reached since ${clock(alert.since_unix_ms, now)}`;
      return { key: kind, lead: alert.panel, text, verb: 'Look' };
    }
    case 'panel-refuses':
      return { key: kind, lead: alert.panel, text: `refuses ${things(alert.requests, 'request')}`, verb: 'Look' };
    case 'budget': {
      const [spent, limit] = [alert.committed, alert.limit].map((amount) => money(amount, alert.currency));
      return {
        key: kind,
        lead: `${spent} of ${limit}`,
        text: 'are spent or promised, and places are open',
        verb: 'Look',
      };
    }
    case 'stalled': {
      const text = `since ${clock(alert.since_unix_ms, now)}, with ${things(alert.places, 'place')} open`;
      return { key: kind, lead: 'Nobody has completed', text, verb: 'Look' };
    }
    case 'fast': {
      const share = `${count(alert.fast)} of ${count(alert.answered)} under ${joined(alert.below_ms, 'ms')}`;
      const text = `answers faster than anything can be seen (${share})`;
      return { key: alert.rater, lead: shortKey(alert.rater), text, verb: 'Look' };
    }
    case 'few-answers': {
      const verb = alert.items === 1 ? 'has' : 'have';
      const text = `${verb} under ${things(alert.fewer_than, 'answer')}`;
      return { key: kind, lead: things(alert.items, 'item'), text, verb: 'List' };
    }
  }
}

/** The title of the browser's tab. @param {Status} status */
export function title(status) {
  const number = alertsOf(status);
  return `${number > 0 ? `(${number}) ` : ''}${status.done}/${status.places} ${status.name}`;
}
