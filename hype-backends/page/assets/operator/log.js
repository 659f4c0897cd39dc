// What operators did, the last action first.

import { count } from '../figures.js';
import { h } from '../dom.js';
import { section } from './parts.js';

/**
 * @import { ControlState, OperatorAction } from "../../page.js"
 */

/**
 * An action in words.
 * @param {OperatorAction} action
 * @returns {string}
 */
export function described(action) {
  switch (action.kind) {
    case 'pause':
      return 'paused the study';
    case 'resume':
      return 'resumed the study';
    case 'close':
      return 'closed the study';
    case 'call':
      return 'called the raters who wait';
    case 'top-up':
      return `added ${count(action.places)} places`;
    case 'exclude':
      return `excluded ${action.rater.slice(0, 10)}: ${action.reason}`;
    case 'include':
      return `included ${action.rater.slice(0, 10)} again: ${action.reason}`;
    case 'reopen':
      return `opened ${count(action.places)} given-up places again`;
    case 'links':
      return `made ${count(action.count)} links`;
    case 'key':
      return `made key ${count(action.number)} of ${action.name}`;
    case 'export':
      return `downloaded ${action.what}`;
  }
}

const when = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

/** The section. */
export function actionLog() {
  return section('Actions', (/** @type {Pick<ControlState, "recent" | "actions">} */ { recent, actions }) => {
    if (recent.length === 0) return [h('p', { class: 'soft' }, 'No actions so far.')];
    const earlier = actions - recent.length;
    return [
      h(
        'ol',
        { class: 'log' },
        recent.map(({ by, unix_ms, action }) =>
          h(
            'li',
            {},
            h('time', { datetime: new Date(unix_ms).toISOString() }, when.format(unix_ms)),
            h('span', {}, `${by} ${described(action)}`),
          ),
        ),
      ),
      earlier > 0
        ? h('p', { class: 'soft' }, `${count(earlier)} earlier ones are listed by hype operator SPEC log.`)
        : null,
    ];
  });
}
