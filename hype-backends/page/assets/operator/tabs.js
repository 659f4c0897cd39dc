// Tabs: one part of the page at a time, chosen by mouse or keyboard.

import { h, uniqueId } from '../dom.js';

/** The tab that was chosen stays when the page is loaded again. */
const KEPT = 'hype-operator-tab';

/**
 * @typedef {object} Part
 * @property {string} name
 * @property {string} title
 * @property {HTMLElement} panel
 */

/**
 * @param {string} label
 * @param {readonly Part[]} parts the first one is always there
 */
export function tabs(label, parts) {
  const all = parts.map(({ name, title, panel }) => {
    panel.id = uniqueId('panel');
    panel.setAttribute('role', 'tabpanel');
    const tab = h('button', { type: 'button', role: 'tab', id: uniqueId('tab'), 'aria-controls': panel.id }, title);
    tab.addEventListener('click', () => choose(name));
    panel.setAttribute('aria-labelledby', tab.id);
    return { name, tab, panel, isThere: true };
  });
  const list = h(
    'div',
    { class: 'tabs', role: 'tablist', 'aria-label': label },
    all.map(({ tab }) => tab),
  );
  let chosen = sessionStorage.getItem(KEPT) ?? '';

  const there = () => all.filter(({ isThere }) => isThere);

  /** @param {string} name */
  function choose(name) {
    chosen = name;
    sessionStorage.setItem(KEPT, name);
    draw();
  }

  function draw() {
    const shown = there().find(({ name }) => name === chosen) ?? all[0];
    for (const part of all) {
      const { tab, panel, isThere } = part;
      tab.hidden = !isThere;
      tab.setAttribute('aria-selected', String(part === shown));
      tab.tabIndex = part === shown ? 0 : -1;
      panel.hidden = part !== shown;
    }
  }

  list.addEventListener('keydown', (event) => {
    const tabs = there();
    const at = tabs.findIndex(({ tab }) => tab === document.activeElement);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }[event.key];
    const next = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length];
    if (next === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    choose(next.name);
    next.tab.focus();
  });

  draw();
  return {
    list,
    choose,
    /** Offers a part, or hides it. @param {string} name @param {boolean} isThere @param {string} title */
    offer(name, isThere, title) {
      const part = all.find((one) => one.name === name);
      if (part === undefined) return;
      if (part.tab.textContent !== title) part.tab.textContent = title;
      if (part.isThere === isThere) return;
      part.isThere = isThere;
      draw();
    },
  };
}
