// The HTML of a text, from which only elements of a list are taken, without attributes that do anything.

/** The elements of a text. */
const ELEMENTS = new Set(
  'P H1 H2 H3 H4 H5 H6 UL OL LI EM STRONG CODE PRE BLOCKQUOTE TABLE THEAD TBODY TR TH TD BR HR DEL'.split(' '),
);

/** Elements whose content is no text for readers. */
const SILENT = new Set(
  'SCRIPT STYLE TEMPLATE NOSCRIPT IFRAME OBJECT EMBED NOEMBED NOFRAMES TITLE TEXTAREA SELECT'.split(' '),
);

/** How deep elements stand in each other at most. */
const DEEPEST = 100;

/** How many levels the headings of a text are below those of the page. */
const BELOW = 2;

/**
 * The content of a text. Nothing of it is run, fetched or styled: other elements than those of the list are replaced by
 * their content, or left out.
 * @param {string} html
 * @returns {DocumentFragment}
 */
export function fragmentOf(html) {
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  const found = document.createDocumentFragment();
  copy(parsed.body, found, 0);
  return found;
}

/** @param {Node} from @param {Node} to @param {number} depth */
function copy(from, to, depth) {
  for (const child of from.childNodes) {
    if (child instanceof Text) to.appendChild(document.createTextNode(child.data));
    if (!(child instanceof Element) || SILENT.has(child.tagName.toUpperCase()) || depth === DEEPEST) continue;
    const own = ELEMENTS.has(child.tagName) ? plain(child) : null;
    if (own !== null) to.appendChild(own);
    copy(child, own ?? to, depth + 1);
  }
}

/** An element of the list. @param {Element} element */
function plain(element) {
  const heading = /^H([1-6])$/.exec(element.tagName);
  const name = heading === null ? element.tagName : `h${Math.min(6, Number(heading[1]) + BELOW)}`;
  const own = document.createElement(name);
  if (heading !== null) own.dataset['level'] = String(heading[1]);
  const start = element.getAttribute('start') ?? '';
  if (own instanceof HTMLOListElement && /^[0-9]{1,9}$/.test(start)) own.start = Number(start);
  const align = element.getAttribute('align') ?? '';
  if (/^T[HD]$/.test(element.tagName) && /^(left|center|right)$/.test(align)) own.dataset['align'] = align;
  return own;
}
