// Answers by model and by item.

import { count } from '../figures.js';
import { h } from '../dom.js';
import { bar, section } from './parts.js';

/**
 * @import { Coverage, Status } from "../../page.js"
 */

/** @param {Coverage[]} all @param {number} most */
const bars = (all, most) =>
  h(
    'ul',
    { class: 'bars' },
    all.map(({ name, answers }) =>
      h(
        'li',
        {},
        h('span', { class: 'name' }, name),
        bar(answers, most, `Answers for ${name}`),
        h('span', { class: 'number' }, count(answers)),
      ),
    ),
  );

/** The section. */
export function coverage() {
  return section(
    'Coverage',
    (/** @type {Pick<Status, "models" | "items" | "counted">} */ { models, items, counted }) => {
      if (counted === null) return [h('p', { class: 'unknown' }, 'The server is still reading the logs.')];
      if (models.length === 0 && items.items === 0) return null;
      const most = Math.max(...models.map(({ answers }) => answers), 1);
      const { fewest, median, most: highest } = items;
      return [
        models.length > 0 ? [h('h3', {}, 'Answers by model'), bars(models, most)] : null,
        items.items > 0
          ? [
              h('h3', {}, 'Answers by item'),
              h(
                'p',
                {},
                `${count(items.items)} items with ${count(fewest)} to ${count(highest)} answers each, median ${count(median)}. ` +
                  'The least covered:',
              ),
              bars(items.least, Math.max(highest, 1)),
            ]
          : null,
      ];
    },
  );
}
