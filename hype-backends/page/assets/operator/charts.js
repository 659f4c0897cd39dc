// Figures of the answers so far, which the program draws as the report does.

import { h } from '../dom.js';
import { authorized, checked } from './key.js';
import { put } from './parts.js';

/**
 * @import { ShownFigure } from "../../page.js"
 * @typedef {{ address: string, width: number, height: number }} Layout
 * @typedef {{ figure: ShownFigure, layouts: readonly Layout[], asked: string }} Drawing
 * @typedef {(drawings: readonly Drawing[]) => void} Listener
 */

/** The key of the figure of precision. */
const PRECISION = 'f4';

/** The key of the figure of estimates: the first one. @param {readonly Drawing[]} drawings */
export const ofEstimates = (drawings) => drawings.find(({ figure }) => figure.key !== PRECISION);

/** @param {readonly Drawing[]} drawings */
export const ofPrecision = (drawings) => drawings.find(({ figure }) => figure.key === PRECISION);

/** Keeps the latest drawings for all parts of the page that show them. After a failure the earlier one stays. */
export class Drawings {
  /** @type {Map<string, Drawing>} */
  #known = new Map();
  /** @type {Listener[]} */
  #listeners = [];

  /** @param {Listener} listener */
  tell(listener) {
    this.#listeners.push(listener);
  }

  /** @param {readonly ShownFigure[]} figures */
  update(figures) {
    for (const figure of figures) {
      const known = this.#known.get(figure.key);
      const isCurrent = known !== undefined && known.layouts.length > 0 && known.figure.version === figure.version;
      if (!isCurrent && known?.asked !== figure.version) void this.#load(figure);
    }
    for (const [key, { layouts }] of [...this.#known]) {
      if (figures.some((figure) => figure.key === key)) continue;
      forget(layouts);
      this.#known.delete(key);
      this.#told();
    }
  }

  /** @param {ShownFigure} figure */
  async #load(figure) {
    const { key, version } = figure;
    const before = this.#known.get(key) ?? { figure, layouts: [], asked: '' };
    this.#known.set(key, { ...before, asked: version });
    try {
      const layouts = await Promise.all(['wide', 'narrow'].map((layout) => load(key, layout)));
      if (!this.#known.has(key)) return forget(layouts);
      this.#known.set(key, { figure, layouts, asked: version });
      this.#told();
      forget(before.layouts);
    } catch {
      this.#known.set(key, { ...before, asked: '' });
    }
  }

  #told() {
    const drawn = [...this.#known.values()].filter(({ layouts }) => layouts.length > 0);
    for (const listener of this.#listeners) listener(drawn);
  }
}

/** @param {readonly Layout[]} layouts */
function forget(layouts) {
  for (const { address } of layouts) URL.revokeObjectURL(address);
}

/** @param {string} key @param {string} layout @returns {Promise<Layout>} */
async function load(key, layout) {
  const path = `operator/figure/${encodeURIComponent(key)}/${layout}`;
  const reply = await checked(await fetch(path, { headers: authorized(), cache: 'no-store' }));
  const svg = await reply.text();
  const [, width, height] = /<svg[^>]* width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  return { address, width: Number(width), height: Number(height) };
}

/** A drawing that is smaller than this is not read. */
const LEGIBLE = 0.65;

/**
 * The widest layout that can be read in a box, and its scale there; `null` if none can.
 * @param {readonly Layout[]} layouts
 * @param {{ width: number, height: number }} box
 */
export function best(layouts, box) {
  const scaled = (/** @type {Layout} */ { width, height }) => Math.min(1, box.width / width, box.height / height);
  const fits = layouts.map((layout) => ({ layout, scale: scaled(layout) })).filter(({ scale }) => scale >= LEGIBLE);
  const [widest] = fits.sort((one, other) => other.layout.width * other.scale - one.layout.width * one.scale);
  return widest ?? null;
}

/** A box that shows a drawing if it can be read there, and something else if not. @param {HTMLElement} otherwise */
export function drawn(otherwise) {
  const image = h('img', { alt: '', hidden: true });
  const element = h('div', { class: 'drawn' }, image, otherwise);
  /** @type {Drawing | undefined} */
  let latest;
  const fit = () => {
    // Where the page scrolls, the box is as high as it has to be.
    const most = parseFloat(getComputedStyle(element).maxHeight);
    const box = { width: element.clientWidth, height: most || element.clientHeight };
    const found = latest && box.width > 0 ? best(latest.layouts, box) : null;
    image.hidden = !found;
    otherwise.hidden = found !== null;
    if (!latest || !found) return;
    const { layout, scale } = found;
    image.alt = latest.figure.about;
    image.style.width = `${layout.width * scale}px`;
    if (image.src !== layout.address) image.src = layout.address;
  };
  new ResizeObserver(fit).observe(element);
  return {
    element,
    /** @param {Drawing | undefined} drawing */
    update(drawing) {
      latest = drawing;
      fit();
    },
  };
}

/** All figures, which are hidden while there are none. @param {Drawings} drawings */
export function charts(drawings) {
  const content = h('div', { class: 'charts' });
  const element = h('section', { 'aria-label': 'Figures', hidden: true }, h('h2', {}, 'Figures'), content);
  /** @type {Map<string, { element: HTMLElement, heading: HTMLElement, image: HTMLImageElement, source: HTMLSourceElement }>} */
  const shown = new Map();
  drawings.tell((all) => {
    element.hidden = all.length === 0;
    for (const [key, { element }] of shown) {
      if (all.some(({ figure }) => figure.key === key)) continue;
      element.remove();
      shown.delete(key);
    }
    for (const { figure, layouts } of all) {
      const known = shown.get(figure.key) ?? added(figure.key);
      const [wide, narrow] = layouts.map(({ address }) => address);
      put(known.heading, figure.title);
      known.image.alt = figure.about;
      known.image.src = wide ?? '';
      known.source.srcset = narrow ?? '';
    }
  });

  /** @param {string} key */
  function added(key) {
    const [heading, image] = [h('h3', {}), h('img', { alt: '' })];
    const source = h('source', { media: '(max-width: 48rem)' });
    const picture = h('picture', {}, source, image);
    const known = { element: h('figure', { class: 'chart' }, heading, picture), heading, image, source };
    shown.set(key, known);
    content.append(known.element);
    return known;
  }

  return element;
}
