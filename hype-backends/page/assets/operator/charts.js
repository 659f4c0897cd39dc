// Figures of the answers so far, which the program draws as the report does.

import { h } from '../dom.js';
import { authorized, checked } from './key.js';
import { put } from './parts.js';

/**
 * @import { ShownFigure } from "../../page.js"
 * @typedef {{ figure: ShownFigure, address: string, asked: string }} Drawing
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
      const isCurrent = known?.figure.version === figure.version && known.address !== '';
      if (!isCurrent && known?.asked !== figure.version) void this.#load(figure);
    }
    for (const key of [...this.#known.keys()]) {
      if (figures.some((figure) => figure.key === key)) continue;
      URL.revokeObjectURL(this.#known.get(key)?.address ?? '');
      this.#known.delete(key);
      this.#told();
    }
  }

  /** @param {ShownFigure} figure */
  async #load(figure) {
    const { key, version } = figure;
    const before = this.#known.get(key) ?? { figure, address: '', asked: '' };
    this.#known.set(key, { ...before, asked: version });
    try {
      const path = `operator/figure/${encodeURIComponent(key)}`;
      const reply = await checked(await fetch(path, { headers: authorized(), cache: 'no-store' }));
      const address = URL.createObjectURL(await reply.blob());
      if (!this.#known.has(key)) return URL.revokeObjectURL(address);
      this.#known.set(key, { figure, address, asked: version });
      this.#told();
      if (before.address) URL.revokeObjectURL(before.address);
    } catch {
      this.#known.set(key, { ...before, asked: '' });
    }
  }

  #told() {
    const drawn = [...this.#known.values()].filter(({ address }) => address !== '');
    for (const listener of this.#listeners) listener(drawn);
  }
}

/** An image that shows a drawing. */
export function drawn() {
  const image = h('img', { alt: '', hidden: true });
  return {
    element: image,
    /** @param {Drawing | undefined} drawing */
    async update(drawing) {
      image.hidden = drawing === undefined;
      if (drawing === undefined || image.src === drawing.address) return;
      image.alt = drawing.figure.about;
      image.src = drawing.address;
      await image.decode().catch(() => null);
    },
  };
}

/** All figures, which are hidden while there are none. @param {Drawings} drawings */
export function charts(drawings) {
  const content = h('div', { class: 'charts' });
  const element = h('section', { 'aria-label': 'Figures', hidden: true }, h('h2', {}, 'Figures'), content);
  /** @type {Map<string, { element: HTMLElement, heading: HTMLElement, image: ReturnType<typeof drawn> }>} */
  const shown = new Map();
  drawings.tell((all) => {
    element.hidden = all.length === 0;
    for (const [key, { element }] of shown) {
      if (all.some(({ figure }) => figure.key === key)) continue;
      element.remove();
      shown.delete(key);
    }
    for (const drawing of all) {
      const { key, title } = drawing.figure;
      const known = shown.get(key) ?? added(key);
      put(known.heading, title);
      void known.image.update(drawing);
    }
  });

  /** @param {string} key */
  function added(key) {
    const [heading, image] = [h('h3', {}), drawn()];
    const known = { element: h('figure', { class: 'chart' }, heading, image.element), heading, image };
    shown.set(key, known);
    content.append(known.element);
    return known;
  }

  return element;
}
