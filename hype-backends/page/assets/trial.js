// A trial without time limits: images, conditions and questions.

import { Closely } from './closely.js';
import { conditionsView } from './conditions.js';
import { h, keycap, put } from './dom.js';
import { Enlarging, enlargement } from './enlarging.js';
import { Fitted } from './fit.js';
import { isPlayed } from './flow.js';
import { galleryView, imageView, textsIn } from './gallery.js';
import { isForPage } from './keys.js';
import { More } from './more.js';
import { plateView } from './plate.js';
import { Players } from './players.js';
import { Reading } from './reading.js';

/**
 * @import { ImageScale, Inspection, Playback, ScreenTrial } from "../page.js"
 * @import { AskingForm } from "./form.js"
 * @import { View } from "./frame.js"
 * @import { Images } from "./images.js"
 * @import { Language } from "./i18n.js"
 */

/**
 * The view of a trial. `playing` is null without clips and texts.
 * @typedef {View & { fit: () => void, scale: () => ImageScale | null, inspection: (onset: number, when: number) => Inspection | null,
 *   playing: Players | Reading | null, enable: () => void, wait: () => void, tell: (message: HTMLElement) => void }} TrialView
 */

/**
 * @param {ScreenTrial} trial
 * @param {AskingForm} form
 * @param {Images} images loaded
 * @param {Language} language
 * @param {HTMLElement | null} remark
 * @param {StepBack | null} step
 * @returns {TrialView}
 */
export function trialView(trial, form, images, language, remark, step) {
  const { texts, ground, reading } = materialOf(trial, form, images, language);
  const message = h('div', { class: 'message', role: 'status' });
  const hasParts = trial.parts.length > 0;
  const way = step === null ? null : stepBack(step, language);
  const bar = form.element.querySelector('.bar');
  if (way !== null) bar?.prepend(way.button);
  const element = h(
    'div',
    { class: `trial ${form.way}${hasParts ? '' : ' words-only'}`, 'data-screen': 'trial' },
    hasParts && h('div', { class: 'material' }, texts, ground, reading?.element ?? null),
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
  const playing = reading ?? clipsOf(trial, form, element, images, language);
  const hasImages = element.querySelector('.scaled') !== null;
  // Clips are not interpolated.
  const enlarge = playing === null ? enlargement(trial.enlarge) : 'nearest';
  const enlarging = enlarge === 'nearest' ? null : new Enlarging(element, images);
  const taken = new Set([...form.keys, ...(playing?.taken ?? [])]);
  const closely = trial.zoom && hasImages ? new Closely(element, taken, enlarge, language) : null;
  const fitted = new Fitted(element, form.way, enlarging, closely);
  const more = new More(element);
  // Questions are disabled until the images have been painted, and for the time in which they cannot have been seen.
  form.set('shut');
  /** @type {"shut" | "open" | "over"} */
  let state = 'shut';
  return {
    element,
    heading: form.heading,
    tools: closely?.tools,
    waits: true,
    fit() {
      if (hasParts) fitted.start();
      more.start();
    },
    scale: () => (hasImages ? fitted.scale : null),
    inspection: (onset, when) => closely?.inspection(onset, when) ?? null,
    playing,
    enable() {
      form.set('open');
      state = 'open';
      element.dataset['ready'] = 'true';
    },
    wait() {
      form.set('shut');
      if (way !== null) way.button.inert = true;
      state = 'over';
      playing?.halt();
    },
    tell: (told) => message.replaceChildren(told),
    press(event) {
      if (state !== 'over') playing?.press(event);
      if (state === 'shut' && playing !== null) closely?.press(event);
      if (state !== 'open' || event.defaultPrevented) return;
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
      playing?.stop();
      form.stop();
    },
  };
}

/**
 * What is judged, with its conditions.
 * @param {ScreenTrial} trial
 * @param {AskingForm} form
 * @param {Images} images
 * @param {Language} language
 */
function materialOf(trial, form, images, language) {
  const { texts, pictures } = conditionsView(trial.parts, images, language);
  const read = textsIn(trial.parts, language);
  const stimuli = trial.parts.map((part) => {
    if (part.part === 'plate') return plateView(part, language);
    if (read.length > 0) return null;
    if (part.part === 'image') return imageView(part, pictures === null ? 'alone' : 'among others', images, language);
    // Images that serve as buttons are part of the questions.
    return part.part === 'gallery' && form.way !== 'pick' ? galleryView(part, images, language) : null;
  });
  // Images that serve as buttons bring their own ground.
  const own = form.element.querySelector('.row');
  if (pictures !== null) own?.prepend(pictures);
  const isNeeded = own === null && (read.length === 0 || pictures !== null);
  const ground = isNeeded && h('div', { class: 'ground' }, h('div', { class: 'row' }, pictures, stimuli));
  const shown = read.map(({ token, name }) => ({ name, html: images.html(token) }));
  const reading = shown.length > 0 ? new Reading(shown, playbackOf(trial), language) : null;
  if (reading !== null) form.over(reading.texts);
  return { texts, ground, reading };
}

/**
 * The clips of a trial, with their controls below them.
 * @param {ScreenTrial} trial
 * @param {AskingForm} form
 * @param {HTMLElement} element of the trial
 * @param {Images} images
 * @param {Language} language
 */
function clipsOf(trial, form, element, images, language) {
  const of = (/** @type {string} */ where) =>
    /** @type {HTMLVideoElement[]} */ ([...element.querySelectorAll(`${where} video.scaled`)]);
  const judged = of(':not(.condition) >');
  if (judged.length === 0) return null;
  const players = new Players(judged, of('.condition >'), playbackOf(trial), form.keys, language, images.took);
  element.querySelector('.ground')?.append(players.element);
  return players;
}

/** How the clips or texts of a trial are shown. @param {ScreenTrial} trial @returns {Playback} */
function playbackOf({ playback }) {
  if (!playback) throw new Error('a trial shows clips or texts, and does not say how');
  return playback;
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
 * The message while images, clips or texts are loading.
 * @param {ScreenTrial} trial
 * @param {Language} language
 * @returns {View & { progress: (done: number, all: number) => void }}
 */
export function waitingView(trial, language) {
  const count = isPlayed(trial) ? 'loading.files' : 'images.count';
  const title = language.text('images.loading');
  const text = h('p', { class: 'note', role: 'status' }, title);
  const bar = h('progress', { max: 1, value: 0, 'aria-label': title });
  return {
    element: h('div', { class: 'trial waiting', 'data-screen': 'images' }, bar, text),
    heading: null,
    progress(done, all) {
      bar.value = done / Math.max(1, all);
      put(text, done < 1 ? title : language.text(count, { done: Math.floor(done), all }));
    },
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

/**
 * Says that the trial before was interrupted by clips that stood still.
 * @param {Language} language
 * @returns {HTMLElement}
 */
export function stalledView(language) {
  return h('p', { class: 'note stalled', role: 'status' }, language.text('disturbed.stalled'));
}
