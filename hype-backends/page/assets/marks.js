// A question that is answered by marking spans of the plain texts of a trial: by mouse, touch, or the arrow keys.

import { disable, h } from './dom.js';

/**
 * @import { ScreenQuestion } from "../page.js"
 * @import { Field } from "./choice.js"
 * @import { Language } from "./i18n.js"
 */

/**
 * The place of a text, the first character of a span in it, and the one after its last: code points, as the server counts.
 * @typedef {readonly [text: number, start: number, end: number]} Mark
 */

/**
 * Marks with one more, which takes in those that it overlaps.
 * @param {readonly Mark[]} marks
 * @param {Mark} mark
 * @returns {Mark[]}
 */
export function withMark(marks, [text, start, end]) {
  const apart = (/** @type {Mark} */ one) => one[0] !== text || one[2] <= start || one[1] >= end;
  const joined = marks.filter((one) => !apart(one));
  const from = Math.min(start, ...joined.map((one) => one[1]));
  const to = Math.max(end, ...joined.map((one) => one[2]));
  /** @type {Mark[]} */
  const all = [...marks.filter(apart), [text, from, to]];
  return all.sort((one, other) => one[0] - other[0] || one[1] - other[1]);
}

/**
 * A span without the spaces at its ends; `null` if nothing else is in it.
 * @param {readonly string[]} characters
 * @param {number} start
 * @param {number} end
 * @returns {[number, number] | null}
 */
export function withoutSpaces(characters, start, end) {
  const isSpace = (/** @type {number} */ at) => /^\s$/u.test(characters[at] ?? '');
  let [from, to] = [start, end];
  while (from < to && isSpace(from)) from += 1;
  while (to > from && isSpace(to - 1)) to -= 1;
  return from < to ? [from, to] : null;
}

/**
 * @param {ScreenQuestion} question
 * @param {{ at_most: number }} form
 * @param {Language} language
 * @param {() => void} changed
 * @returns {Field}
 */
export function marksField(question, { at_most }, language, changed) {
  /** @type {Mark[]} */
  let marks = [];
  /** @type {{ box: HTMLElement, code: Element, characters: string[] }[]} */
  let texts = [];
  /** What was selected when the button was touched, which takes the selection away on some screens. @type {Mark | null} */
  let held = null;
  const listening = new AbortController();
  const add = h('button', { type: 'button', 'data-action': 'mark' }, language.text('marks.add'));
  const list = h('div');
  const element = h(
    'div',
    { class: 'marks', 'data-form': 'marks', 'data-question': question.id },
    h('p', { class: 'hint' }, language.text('marks.how', { most: at_most })),
    add,
    list,
  );

  /** @returns {Mark | null} */
  const selected = () => {
    const selection = getSelection();
    if (selection === null || selection.rangeCount === 0 || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    const place = texts.findIndex(({ code }) => range.intersectsNode(code));
    const text = texts[place];
    if (text === undefined) return null;
    const before = document.createRange();
    before.selectNodeContents(text.code);
    const reach = (/** @type {Node} */ node, /** @type {number} */ offset) => {
      const isBefore = before.comparePoint(node, offset);
      if (isBefore !== 0) return isBefore < 0 ? 0 : text.characters.length;
      const part = before.cloneRange();
      part.setEnd(node, offset);
      return [...part.toString()].length;
    };
    const start = reach(range.startContainer, range.startOffset);
    const span = withoutSpaces(text.characters, start, reach(range.endContainer, range.endOffset));
    return span === null ? null : [place, ...span];
  };
  const tell = () => disable(add, selected() === null || marks.length >= at_most);
  const draw = () => {
    for (const [place, { code, characters }] of texts.entries()) {
      /** @type {(Node | string)[]} */
      const parts = [];
      let at = 0;
      for (const mark of marks.filter(([text]) => text === place)) {
        parts.push(characters.slice(at, mark[1]).join(''));
        // The end of a selection in a mark is no press on it.
        const press = () => selected() === null && remove(mark);
        parts.push(h('mark', { onclick: press }, characters.slice(mark[1], mark[2]).join('')));
        at = mark[2];
      }
      code.replaceChildren(...parts, characters.slice(at).join(''));
    }
    const rows = marks.map((mark) => {
      const words = texts[mark[0]]?.characters.slice(mark[1], mark[2]).join('') ?? '';
      const said = { type: 'button', 'aria-label': language.text('marks.remove', { words }) };
      return h('button', { ...said, dir: 'auto', onclick: () => remove(mark) }, `${words} ✕`);
    });
    list.replaceChildren(...rows);
    tell();
  };
  const set = (/** @type {Mark[]} */ next) => {
    marks = next;
    draw();
    changed();
  };
  /** @param {Mark} mark */
  function remove(mark) {
    if (element.inert) return;
    const hadFocus = list.contains(document.activeElement);
    set(marks.filter((one) => one !== mark));
    if (hadFocus) add.focus();
  }
  const mark = () => {
    const span = selected() ?? held;
    held = null;
    if (span === null || marks.length >= at_most || element.inert) return;
    set(withMark(marks, span));
    // Keys go on from there.
    const place = marks.filter(([text]) => text === span[0]).findIndex(([, , end]) => end >= span[2]);
    const drawn = texts[span[0]]?.code.querySelectorAll('mark')[place];
    if (drawn !== undefined) getSelection()?.collapse(drawn, drawn.childNodes.length);
  };
  /** Arrow keys select the next word, with Shift also more of them, and Enter marks what is selected. @param {KeyboardEvent} event */
  const press = (event) => {
    const selection = getSelection();
    const code = texts.find(({ box }) => box === event.currentTarget)?.code;
    if (selection === null || code === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === 'Enter' && selected() !== null) mark();
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      if (selection.rangeCount === 0 || !code.contains(selection.focusNode)) selection.collapse(code, 0);
      const isBack = (event.key === 'ArrowLeft') !== (getComputedStyle(code).direction === 'rtl');
      if (!event.shiftKey && isBack) selection.collapseToStart();
      else if (!event.shiftKey) selection.collapseToEnd();
      selection.modify('extend', isBack ? 'backward' : 'forward', 'word');
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  add.addEventListener('pointerdown', () => (held = selected()));
  add.addEventListener('click', mark);
  document.addEventListener('selectionchange', tell, { signal: listening.signal });
  tell();
  return {
    element,
    value: () => (marks.length === 0 ? null : marks),
    restore(value) {
      marks = /** @type {Mark[]} */ (Array.isArray(value) ? [...value] : []);
      draw();
    },
    over(boxes) {
      texts = boxes.map((box) => {
        const code = box.querySelector('code') ?? box;
        box.addEventListener('keydown', press, { signal: listening.signal });
        return { box, code, characters: [...(code.textContent ?? '')] };
      });
      draw();
    },
    press: () => false,
    focus: () => texts[0]?.box.focus(),
    stop: () => listening.abort(),
  };
}
