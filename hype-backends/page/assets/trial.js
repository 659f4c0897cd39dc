// A trial without time limits: images, conditions and questions.

import { Closely } from './closely.js';
import { conditionsView } from './conditions.js';
import { h, keycap } from './dom.js';
import { Enlarging, enlargement } from './enlarging.js';
import { Fitted } from './fit.js';
import { galleryView, imageView } from './gallery.js';
import { isForPage } from './keys.js';
import { More } from './more.js';
import { plateView } from './plate.js';

/**
 * @import { ImageScale, Inspection, ScreenTrial } from "../page.js"
 * @import { AskingForm } from "./form.js"
 * @import { View } from "./frame.js"
 * @import { Images } from "./images.js"
 * @import { Language } from "./i18n.js"
 */

/**
 * @param {ScreenTrial} trial
 * @param {AskingForm} form
 * @param {Images} images loaded
 * @param {Language} language
 * @param {HTMLElement | null} remark
 * @param {StepBack | null} step
 * @returns {View & { fit: () => void, scale: () => ImageScale | null, inspection: (onset: number, when: number) => Inspection | null,
 *   enable: () => void, wait: () => void, tell: (message: HTMLElement) => void }}
 */
export function trialView(trial, form, images, language, remark, step) {
  const { texts, pictures } = conditionsView(trial.parts, images, language);
  const stimuli = trial.parts.map((part) => {
    if (part.part === 'plate') return plateView(part, language);
    if (part.part === 'image') return imageView(part, pictures === null ? 'alone' : 'among others', images, language);
    // Images that serve as buttons are part of the questions.
    return part.part === 'gallery' && form.way !== 'pick' ? galleryView(part, images, language) : null;
  });
  const message = h('div', { class: 'message', role: 'status' });
  // Images that serve as buttons bring their own ground.
  const own = form.element.querySelector('.row');
  if (pictures !== null) own?.prepend(pictures);
  const ground = own === null && h('div', { class: 'ground' }, h('div', { class: 'row' }, pictures, stimuli));
  const hasParts = trial.parts.length > 0;
  const way = step === null ? null : stepBack(step, language);
  const bar = form.element.querySelector('.bar');
  if (way !== null) bar?.prepend(way.button);
  const element = h(
    'div',
    { class: `trial ${form.way}${hasParts ? '' : ' words-only'}`, 'data-screen': 'trial' },
    hasParts && h('div', { class: 'material' }, texts, ground),
    h(
      'div',
      { class: 'asking' },
      way?.note ?? null,
      remark,
      form.element,
      bar === null ? (way?.button ?? null) : null,
      message,
    ),
  );
  const enlarge = enlargement(trial.enlarge);
  const enlarging = enlarge === 'nearest' ? null : new Enlarging(element, images);
  const closely = trial.zoom ? new Closely(element, form.keys, enlarge, language) : null;
  const fitted = new Fitted(element, form.way, enlarging, closely);
  const more = new More(element);
  // Questions are disabled until the images have been painted, and for the time in which nobody can have seen them.
  form.set('shut');
  let enabled = false;
  return {
    element,
    heading: form.heading,
    tools: closely?.tools,
    waits: true,
    fit() {
      if (hasParts) fitted.start();
      more.start();
    },
    scale: () => (element.querySelector('.scaled') === null ? null : fitted.scale),
    inspection: (onset, when) => closely?.inspection(onset, when) ?? null,
    enable() {
      form.set('open');
      enabled = true;
      element.dataset['ready'] = 'true';
    },
    wait() {
      form.set('shut');
      if (way !== null) way.button.inert = true;
      enabled = false;
    },
    tell: (told) => message.replaceChildren(told),
    press(event) {
      if (!enabled) return;
      if (step !== null && event.key === STEP_KEY && isForPage(event)) {
        event.preventDefault();
        step.act();
        return;
      }
      form.press(event);
      closely?.press(event);
    },
    stop() {
      fitted.stop();
      more.stop();
      closely?.stop();
      form.stop();
    },
  };
}

/**
 * The way to the trial before, or from there to the current one without another answer.
 * @typedef {{ to: "before" | "current", act: () => void }} StepBack
 */

/** The key of that way. */
const STEP_KEY = 'Backspace';

/** @param {StepBack} step @param {Language} language */
function stepBack({ to, act }, language) {
  const name = to === 'before' ? 'back.open' : 'back.keep';
  const button = h(
    'button',
    {
      type: 'button',
      class: 'quiet',
      'data-action': to === 'before' ? 'back' : 'keep',
      'aria-keyshortcuts': STEP_KEY,
      onclick: act,
    },
    language.text(name),
    keycap('⌫'),
  );
  const note =
    to === 'before' ? null : h('p', { class: 'note correcting', role: 'status' }, language.text('back.note'));
  return { note, button: h('div', { class: 'step-back' }, button) };
}

/**
 * The message while images are loading.
 * @param {Language} language
 * @returns {View & { progress: (done: number, all: number) => void }}
 */
export function waitingView(language) {
  const text = h('p', { class: 'note', role: 'status' }, language.text('images.loading'));
  return {
    element: h('div', { class: 'trial waiting', 'data-screen': 'images' }, text),
    heading: null,
    progress: (done, all) => (text.textContent = language.text('images.count', { done, all })),
  };
}

/**
 * Feedback on an answer, in words and with a sign.
 * @param {"right" | "wrong"} verdict
 * @param {Language} language
 * @returns {HTMLElement}
 */
export function verdictView(verdict, language) {
  return h(
    'p',
    { class: `verdict ${verdict}`, role: 'status', 'data-verdict': verdict },
    h('span', { class: 'sign', 'aria-hidden': 'true' }, verdict === 'right' ? '✓' : '✗'),
    language.text(`feedback.${verdict}`),
  );
}

/**
 * Why an answer was refused.
 * @param {string} message the server's
 * @param {Language} language
 * @returns {HTMLElement}
 */
export function refusedView(message, language) {
  return h(
    'p',
    { class: 'fault', role: 'alert' },
    language.text('form.refused'),
    ' ',
    h('span', { dir: 'auto' }, message),
  );
}
