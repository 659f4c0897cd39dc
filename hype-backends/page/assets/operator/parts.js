// Parts of the page that several sections use.

import { h, uniqueId } from '../dom.js';

/**
 * @import { Child } from "../dom.js"
 * @import { ModelCoverage } from "../../page.js"
 */

/** @param {[string, string][]} figures */
export function figureList(figures) {
  return h(
    'dl',
    { class: 'figures' },
    figures.map(([what, figure]) => h('div', {}, h('dt', {}, what), h('dd', {}, figure))),
  );
}

/** Changes the text of an element, if it is another one. What is selected stays selected. @param {Element} element @param {string} text */
export function put(element, text) {
  const only = element.firstChild;
  if (only instanceof Text && only.nextSibling === null) {
    if (only.data !== text) only.data = text;
  } else if (element.textContent !== text) element.textContent = text;
}

/**
 * Brings the elements of a list in an order. Those that are in their place already are not touched and keep the focus.
 * @param {Element} list
 * @param {readonly Element[]} wanted all of its elements
 */
export function arrange(list, wanted) {
  let at = list.firstElementChild;
  for (const element of wanted) {
    if (element === at) at = at.nextElementSibling;
    else move(list, element, at);
  }
}

/** @param {Element} list @param {Element} element @param {Element | null} before */
function move(list, element, before) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  list.insertBefore(element, before);
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
}

/**
 * Rows of a list that are made once and changed in place.
 * @template {{ element: Element }} T
 * @param {Element} list
 * @param {() => T} make
 * @returns {(number: number) => T[]} keeps so many rows
 */
export function rowsOf(list, make) {
  /** @type {T[]} */
  const rows = [];
  return (number) => {
    while (rows.length < number) rows.push(make());
    while (list.children.length > number) list.lastElementChild?.remove();
    for (const { element } of rows.slice(list.children.length, number)) list.append(element);
    return rows.slice(0, number);
  };
}

/** A bar of parts of a whole, each with its class. @param {string} label @param {readonly string[]} kinds */
export function stackedBar(label, kinds) {
  const parts = kinds.map((kind) => h('span', { class: kind }));
  const element = h('div', { class: 'stacked', role: 'img', 'aria-label': label }, parts);
  return {
    element,
    /** @param {readonly number[]} numbers @param {number} all */
    update(numbers, all) {
      parts.forEach((part, at) => {
        part.style.width = `${all > 0 ? Math.min(100, (100 * (numbers[at] ?? 0)) / all) : 0}%`;
      });
    },
  };
}

/** The place of a model in the spec. @param {string} name @param {readonly ModelCoverage[]} models */
export const placeOf = (name, models) => models.find((model) => model.name === name)?.place ?? models.length;

/** Gives an element the colour and shape of a model, which follow from its place in the spec. @param {Element} element @param {number} place */
export function mark(element, place) {
  element.className = `glyph model-${Math.min(place, 6)}`;
  element.setAttribute('aria-hidden', 'true');
}

/**
 * A section with a heading, whose content is drawn again only when what it shows has changed.
 * @template T
 * @param {string} title
 * @param {(what: T) => Child[] | null} draw `null` hides the section
 * @param {Child[]} [controls] above the content; never drawn again, they keep the focus
 */
export function section(title, draw, controls = []) {
  const id = uniqueId('heading');
  const content = h('div', {});
  const element = h('section', { 'aria-labelledby': id, hidden: true }, h('h2', { id }, title), controls, content);
  let shown = '';
  return {
    element,
    /** @param {T} what */
    update(what) {
      const text = JSON.stringify(what);
      if (text === shown) return;
      shown = text;
      const children = draw(what);
      const hadFocus = element.contains(document.activeElement);
      element.hidden = children === null;
      if (children !== null) replace(content, children);
      else if (hadFocus) rest(element);
    },
  };
}

/**
 * Moves the focus to the nearest part of the page that is there, for readers whose control has gone.
 * @param {Element | null} from
 */
export function rest(from) {
  for (let at = from; at !== null; at = at.parentElement) {
    if (!(at instanceof HTMLElement) || !at.checkVisibility()) continue;
    at.tabIndex = -1;
    return at.focus();
  }
}

/**
 * The control with a name.
 * @param {Element} inside
 * @param {string | undefined} name
 */
export function named(inside, name) {
  const all = name === undefined ? [] : [...inside.querySelectorAll('[data-name]')];
  return all.find((one) => one instanceof HTMLElement && one.dataset['name'] === name) ?? null;
}

/**
 * Replaces an element's content. The focus stays on the control with the same name.
 * @param {HTMLElement} element
 * @param {Child[]} children
 */
export function replace(element, children) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  const name = focused instanceof HTMLElement ? focused.dataset['name'] : undefined;
  element.replaceChildren(h('div', {}, children));
  if (name === undefined) return;
  const again = named(element, name);
  if (again instanceof HTMLElement) again.focus();
  else rest(element);
}

/**
 * A table that becomes a list of cards on a narrow screen. The roles are those of the elements, which some browsers forget
 * when the elements are laid out in another way.
 * @param {string} label
 * @param {{ text: string, kind?: string }[]} heads
 * @param {Child[][]} rows the first cell of each names the row
 */
export function table(label, heads, rows) {
  const cell = (/** @type {Child} */ child, /** @type {number} */ at) => {
    const { text = '', kind = '' } = heads[at] ?? {};
    return at === 0
      ? h('th', { scope: 'row', role: 'rowheader', class: kind || null }, child)
      : h('td', { role: 'cell', class: kind || null, 'data-label': text || null }, child);
  };
  return h(
    'table',
    { role: 'table', 'aria-label': label },
    h(
      'thead',
      { role: 'rowgroup' },
      h(
        'tr',
        { role: 'row' },
        heads.map(({ text, kind = '' }) =>
          text
            ? h('th', { scope: 'col', role: 'columnheader', class: kind || null }, text)
            : h('td', { role: 'cell', class: kind || null }),
        ),
      ),
    ),
    h(
      'tbody',
      { role: 'rowgroup' },
      rows.map((row) => h('tr', { role: 'row' }, row.map(cell))),
    ),
  );
}

/**
 * A bar.
 * @param {number} value
 * @param {number} most
 * @param {string} label
 * @param {string} [kind]
 */
export const bar = (value, most, label, kind = 'bar') =>
  h('progress', { class: kind, max: String(Math.max(1, most)), value: String(value), 'aria-label': label });
