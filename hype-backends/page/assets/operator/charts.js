// Figures of the answers so far, which the program draws.

import { h } from '../dom.js';
import { authorized, checked } from './key.js';

/**
 * @import { ShownFigure } from "../../page.js"
 * @typedef {{ element: HTMLElement, image: HTMLImageElement, heading: HTMLElement, version: string, asked: string }} Chart
 */

/** A figure without its drawing. @returns {Chart} */
function chart() {
  const image = h('img', { alt: '' });
  const heading = h('h3', {});
  return {
    element: h('figure', { class: 'chart', hidden: true }, heading, image),
    image,
    heading,
    version: '',
    asked: '',
  };
}

/**
 * Shows the latest drawing of a figure. After a failure the earlier one stays, and the next state asks again.
 * @param {Chart} chart
 * @param {ShownFigure} figure
 */
async function load(chart, { key, title, about, version }) {
  chart.asked = version;
  try {
    const path = `operator/figure/${encodeURIComponent(key)}`;
    const reply = await checked(await fetch(path, { headers: authorized(), cache: 'no-store' }));
    const address = URL.createObjectURL(await reply.blob());
    const before = chart.image.src;
    chart.image.src = address;
    await chart.image.decode();
    if (before) URL.revokeObjectURL(before);
    chart.image.alt = about;
    chart.heading.textContent = title;
    chart.element.hidden = false;
    chart.version = version;
  } catch {
    chart.version = '';
  } finally {
    chart.asked = '';
  }
}

/** The section, which is hidden while there are no figures. */
export function charts() {
  const content = h('div', { class: 'charts' });
  const element = h('section', { 'aria-label': 'Figures', hidden: true }, h('h2', {}, 'Figures'), content);
  /** @type {Map<string, Chart>} */
  const shown = new Map();
  return {
    element,
    /** @param {readonly ShownFigure[]} figures */
    update(figures) {
      element.hidden = figures.length === 0;
      for (const [key, { element }] of shown) {
        if (figures.some((figure) => figure.key === key)) continue;
        element.remove();
        shown.delete(key);
      }
      for (const figure of figures) {
        const known = shown.get(figure.key) ?? chart();
        if (!shown.has(figure.key)) {
          shown.set(figure.key, known);
          content.append(known.element);
        }
        if (known.version !== figure.version && known.asked === '') void load(known, figure);
      }
    },
  };
}
