// What people read about a task that they have not accepted yet.

import { facts, languagePicker } from './consent.js';
import { h, paragraphs } from './dom.js';
import { entryTest, paragraph } from './instructions.js';

/**
 * @import { PreviewPage } from "../page.js"
 * @import { Language } from "./i18n.js"
 * @import { View } from "./frame.js"
 */

/**
 * @param {PreviewPage} screen
 * @param {Language} language
 * @param {(language: string) => void} speak
 * @returns {View}
 */
export function previewView(screen, language, speak) {
  const heading = h('h1', { tabindex: -1 }, language.text('preview.title'));
  const element = h(
    'div',
    { class: 'page', 'data-screen': 'preview' },
    languagePicker(screen, language, speak),
    heading,
    h('p', { class: 'warning' }, language.text('preview.accept')),
    facts(screen, language),
    h('div', { class: 'prose' }, screen.guidance.map(paragraph)),
    entryTest(screen, language),
    h('h2', {}, language.text('preview.consent')),
    h('div', { class: 'prose' }, paragraphs(screen.consent)),
    h('p', { class: 'note' }, language.text('consent.rights')),
  );
  return { element, heading };
}
