// The instructions before the first trial, or the reason why this device cannot show the study.

import { payText } from './consent.js';
import { h, keycap, uniqueId } from './dom.js';
import { Images } from './images.js';
import { assignKeys } from './keys.js';
import { refusalView } from './refusal.js';

/**
 * @import { Environment, InstructionsPage, ScreenQuestion, Worded } from "../page.js"
 * @import { Language } from "./i18n.js"
 * @import { View } from "./frame.js"
 */

/**
 * @typedef {object} Actions
 * @property {(environment: Environment, comprehension: number | null) => void} begin
 * @property {() => void} leave
 * @property {() => void} again
 * @property {(error: unknown) => void} failed an example cannot be loaded
 */

/**
 * @param {InstructionsPage} screen
 * @param {Language} language
 * @param {Promise<Environment>} measured
 * @param {Actions} actions
 * @returns {View}
 */
export function instructionsView(screen, language, measured, actions) {
  const heading = h('h1', { tabindex: -1 }, language.text('instructions.title'));
  const asked = comprehension(screen, language);
  const begin = h(
    'button',
    { type: 'button', class: 'primary', 'data-action': 'begin', disabled: true },
    language.text('instructions.begin'),
    keycap('Enter'),
  );
  const state = h('p', { class: 'note', role: 'status' }, language.text('instructions.checking'));
  const actionsRow = h('div', { class: 'actions' }, begin);
  const shown = examples(screen, language, actions.failed);
  const element = h(
    'div',
    { class: 'page', 'data-screen': 'instructions' },
    heading,
    h('div', { class: 'prose' }, screen.paragraphs.map(paragraph)),
    shown.element,
    entryTest(screen, language),
    facts(screen, language),
    keys(screen.questions, language),
    screen.zoom && h('p', { class: 'prose' }, language.text('closely.hint')),
    screen.timed && h('p', { class: 'note' }, language.text('instructions.timed')),
    screen.flashes &&
      h(
        'p',
        { class: 'warning' },
        h('strong', {}, language.text('instructions.flashes-title')),
        ' ',
        language.text('instructions.flashes'),
      ),
    asked?.element ?? null,
    state,
    actionsRow,
  );
  let ready = false;
  Promise.all([measured, shown.loaded]).then(([environment]) => {
    const out = { name: 'leave', label: language.text('needs.leave'), act: actions.leave };
    const refusal =
      screen.needs === null ? null : refusalView(screen.needs, environment, language, { again: actions.again, out });
    if (refusal !== null) {
      element.append(refusal);
      actionsRow.remove();
      asked?.element.remove();
      state.remove();
      return;
    }
    state.textContent = '';
    begin.disabled = false;
    ready = true;
    begin.addEventListener('click', () => {
      const chosen = asked === null ? null : asked.chosen();
      if (asked === null || chosen !== null) actions.begin(environment, chosen);
    });
  });
  return {
    element,
    heading,
    stop: () => shown.stop(),
    press(event) {
      const own = event.target instanceof Element && event.target.closest('button, a') !== null;
      if (event.key === 'Enter' && !own && !event.repeat && ready) begin.click();
    },
  };
}

/**
 * A text of the study, marked if it is in another language than the page.
 * @param {Worded} worded
 */
function text({ text, language }) {
  return h('span', { dir: 'auto', lang: language }, text);
}

/** @param {readonly Worded[]} messages */
export function paragraph(messages) {
  return h(
    'p',
    { dir: 'auto' },
    // Without a direction of their own, sentences follow that of the paragraph, which is that of its text.
    messages.map(({ text, language }, place) => [place > 0 && ' ', h('span', { lang: language }, text)]),
  );
}

/**
 * What the entry test asks for and pays.
 * @param {Pick<InstructionsPage, "test" | "pay">} screen
 * @param {Language} language
 */
export function entryTest({ test, pay }, language) {
  if (test === null) return null;
  const { trials, needed } = test;
  const money = (/** @type {string} */ amount) => language.money(amount, pay?.currency ?? '');
  const isPaid = (/** @type {string | undefined} */ amount) => Number(amount ?? 0) > 0;
  const then = isPaid(pay?.per_correct)
    ? language.text('instructions.test-bonus', { bonus: money(pay?.per_correct ?? '') })
    : language.text('instructions.test-then');
  const points = [
    language.text('instructions.test-trials', { count: trials }),
    test.each_class
      ? language.text('instructions.test-pass-each', { needed, half: trials / 2 })
      : language.text('instructions.test-pass', { needed, trials }),
    isPaid(pay?.base) && language.text('instructions.test-paid', { base: money(pay?.base ?? '') }),
    language.text('instructions.test-fail'),
    then,
  ].filter((point) => point !== false);
  return h(
    'section',
    { class: 'prose' },
    h('h2', {}, language.text('instructions.test')),
    h(
      'ul',
      {},
      points.map((point) => h('li', {}, point)),
    ),
  );
}

/** @param {InstructionsPage} screen @param {Language} language */
function facts({ minutes, pay, test }, language) {
  const found = [
    minutes !== null && language.text('consent.minutes', { count: minutes }),
    pay !== null && test === null && payText(pay, language),
  ].filter((fact) => fact !== false);
  return (
    found.length > 0 &&
    h(
      'ul',
      { class: 'facts' },
      found.map((fact) => h('li', {}, fact)),
    )
  );
}

/** The keys that answer the first trial's questions. @param {readonly ScreenQuestion[]} questions @param {Language} language */
function keys(questions, language) {
  const [question, second] = questions;
  if (question === undefined) return null;
  const title = h('h2', {}, language.text('instructions.keys'));
  if (second !== undefined) {
    const keys = questions.flatMap(({ form }) => ('choice' in form ? assignKeys(form.choice.options) : []));
    if (keys.length === 0 || !keys.every((key) => key !== null && /^[0-9]$/.test(key))) return null;
    return h('section', { class: 'keys prose' }, title, h('p', {}, language.text('instructions.keys-form')));
  }
  if (!('choice' in question.form)) return null;
  const { options } = question.form.choice;
  const assigned = assignKeys(options);
  const rows = options.map((option, place) => {
    const key = assigned[place];
    return (
      typeof key === 'string' &&
      h(
        'li',
        {},
        h('kbd', { dir: 'ltr' }, key.toUpperCase()),
        h('span', { dir: 'auto', lang: question.language }, option.label),
      )
    );
  });
  return h('section', { class: 'keys prose' }, title, h('ul', { class: 'key-list' }, rows));
}

/**
 * The examples, whose images are loaded in the background.
 * @param {InstructionsPage} screen
 * @param {Language} language
 * @param {(error: unknown) => void} failed
 * @returns {{ element: HTMLElement | null, loaded: Promise<unknown>, stop: () => void }}
 */
function examples({ examples }, language, failed) {
  if (examples.length === 0) return { element: null, loaded: Promise.resolve(), stop: () => undefined };
  const images = new Images();
  const figures = examples.map(({ answer, note }) =>
    h(
      'figure',
      { class: 'example' },
      h('div', { class: 'example-image' }),
      h(
        'figcaption',
        {},
        h('strong', {}, language.text('instructions.example-answer'), ' ', text(answer)),
        note !== null && h('p', {}, text(note)),
      ),
    ),
  );
  let stopped = false;
  const loaded = images.load(
    examples.map(({ image }) => image),
    () => undefined,
  );
  loaded.then(
    () => {
      figures.forEach((figure, place) => {
        const token = examples[place]?.image;
        if (token !== undefined)
          figure.firstElementChild?.replaceChildren(images.element(token, language.text('image.alone')));
      });
    },
    (error) => {
      if (!stopped) failed(error);
    },
  );
  const element = h(
    'section',
    { class: 'examples' },
    h('h2', {}, language.text('instructions.examples')),
    h('div', { class: 'example-row' }, figures),
  );
  const stop = () => {
    stopped = true;
    images.release();
  };
  return { element, loaded, stop };
}

/**
 * The question on the instructions.
 * @param {InstructionsPage} screen
 * @param {Language} language
 * @returns {{ element: HTMLElement, chosen: () => number | null } | null} `chosen` says what is missing, if nothing is
 *   chosen
 */
function comprehension({ comprehension: asked }, language) {
  if (asked === null) return null;
  const fault = h('p', { class: 'fault', role: 'alert', id: uniqueId('fault') });
  if (asked.wrong > 0) fault.textContent = language.text('instructions.misunderstood');
  const title = h('h2', { id: uniqueId('question') }, language.text('instructions.comprehension'));
  const name = uniqueId('choice');
  const inputs = asked.options.map((_, place) => h('input', { type: 'radio', name, value: String(place) }));
  const rows = asked.options.map((option, place) =>
    h('label', { class: 'option' }, inputs[place] ?? null, h('span', { class: 'option-text' }, text(option))),
  );
  const legend = h('p', { id: uniqueId('question') }, text(asked.question));
  const element = h(
    'section',
    { class: 'prose', 'data-form': 'comprehension' },
    title,
    legend,
    h(
      'div',
      { class: 'options', role: 'radiogroup', 'aria-labelledby': legend.id, 'aria-describedby': fault.id },
      rows,
    ),
    fault,
  );
  const chosen = () => {
    const place = inputs.findIndex((input) => input.checked);
    if (place >= 0) return place;
    fault.textContent = language.text('form.unanswered');
    inputs[0]?.focus();
    return null;
  };
  return { element, chosen };
}
