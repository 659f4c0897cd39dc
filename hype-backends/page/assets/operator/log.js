// What operators did, the last action first.

import { clock, count, things } from '../figures.js';
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
      return `added ${things(action.places, 'place')}`;
    case 'exclude':
      return `excluded ${action.rater.slice(0, 10)}: ${action.reason}`;
    case 'include':
      return `included ${action.rater.slice(0, 10)} again: ${action.reason}`;
    case 'reopen':
      return `opened ${things(action.places, 'given-up place')} again`;
    case 'links':
      return `made ${things(action.count, 'link')}`;
    case 'key':
      return `made key ${count(action.number)} of ${action.name}`;
    case 'export':
      return `downloaded ${action.what}`;
  }
}

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
            h('time', { datetime: new Date(unix_ms).toISOString() }, clock(unix_ms, Date.now())),
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
