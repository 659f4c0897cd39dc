// Elements from plain values. Text is never read as markup.

/** @typedef {Node | string | null | false | Child[]} Child */

/**
 * An element with its attributes, listeners (`onclick: f`) and children.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown>} [attributes] `true` sets an empty attribute; `false` and `null` leave it out
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') {
      element.addEventListener(name.replace(/^on/, ''), /** @type {EventListener} */ (value));
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  append(element, children);
  return element;
}

/** @param {Node} element @param {Child[]} children */
function append(element, children) {
  for (const child of children) {
    if (child === null || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.appendChild(typeof child === 'string' ? document.createTextNode(child) : child);
  }
}

/** A button that does nothing at the moment keeps the focus. @param {HTMLElement} button @param {boolean} isIdle */
export function disable(button, isIdle) {
  if (isIdle) button.setAttribute('aria-disabled', 'true');
  else button.removeAttribute('aria-disabled');
}

/** Setting the same text would make screen readers read it again. @param {HTMLElement} element @param {string} text */
export function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

let drawn = 0;

/**
 * An id that is unique on the page.
 * @param {string} what
 * @returns {string}
 */
export function uniqueId(what) {
  drawn += 1;
  return `${what}-${drawn}`;
}

/**
 * The label of a key on a keyboard.
 * @param {string} key
 * @returns {HTMLElement}
 */
export function keycap(key) {
  return h('kbd', { 'aria-hidden': 'true', dir: 'ltr' }, key.length === 1 ? key.toUpperCase() : key);
}

/**
 * Paragraphs of a study's own text, each with its own writing direction.
 * @param {readonly string[]} paragraphs
 * @returns {HTMLElement[]}
 */
export function paragraphs(paragraphs) {
  return paragraphs.map((text) => h('p', { dir: 'auto' }, text));
}
