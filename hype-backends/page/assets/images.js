// Images, clips and texts without a time limit, fetched whole before questions about them are enabled.

import { Failure, backOff, imageAddress, remedy, waitAsked } from './api.js';
import { h } from './dom.js';
import { download } from './download.js';
import { enlargedPixels } from './enlarging.js';
import { scaled } from './fit.js';

/** Attempts before loading an image fails. */
const ATTEMPTS = 5;

/** Images that are loaded at the same time. */
const AT_ONCE = 4;

/** A decoded image, the address of a clip, or the HTML of a text. @typedef {HTMLImageElement | { clip: string } | { html: string }} Loaded */

/**
 * Fetches a file, and decodes it if it is an image.
 * @param {string} token
 * @param {AbortSignal} signal
 * @param {(share: number) => void} arrived how much of it there is
 * @returns {Promise<{ loaded: Loaded, free: () => void }>} `free` gives its memory back
 * @throws {Failure}
 */
async function load(token, signal, arrived) {
  const blob = await fetched(token, signal, arrived);
  if (blob.type.startsWith('text/plain')) return { loaded: { html: await blob.text() }, free: () => undefined };
  const address = URL.createObjectURL(blob);
  if (blob.type.startsWith('video/')) return { loaded: { clip: address }, free: () => URL.revokeObjectURL(address) };
  const image = new Image();
  image.src = address;
  image.draggable = false;
  try {
    await image.decode();
  } catch (error) {
    URL.revokeObjectURL(address);
    throw new Failure('fatal', 'no-image', String(error));
  }
  return { loaded: image, free: () => URL.revokeObjectURL(address) };
}

/**
 * @param {string} token
 * @param {AbortSignal} signal
 * @param {(share: number) => void} arrived
 * @returns {Promise<Blob>}
 */
async function fetched(token, signal, arrived) {
  for (let attempt = 1; ; attempt += 1) {
    /** @type {Failure} */
    let failure;
    try {
      const answer = await download(imageAddress(token), signal, arrived);
      if (answer.ok) return await answer.blob();
      const fault = await answer.json().catch(() => null);
      const code = String(fault?.error?.code ?? '');
      const after = waitAsked(answer.headers.get('retry-after'), Date.now());
      failure = new Failure(remedy(answer.status, code), code, String(fault?.error?.message ?? answer.status), after);
    } catch (error) {
      if (signal.aborted) throw error;
      failure = new Failure('retry', 'offline', String(error));
    }
    if (failure.remedy !== 'retry' || attempt === ATTEMPTS) throw failure;
    const wait = backOff(attempt, failure.after, Math.random);
    await new Promise((resolve) => setTimeout(resolve, wait));
    signal.throwIfAborted();
  }
}

/** The images, clips and texts of one trial, by their tokens. */
export class Images {
  /** @type {Map<string, Loaded>} */
  #loaded = new Map();
  /** Those that are loaded or on their way. @type {Map<string, Promise<void>>} */
  #begun = new Map();
  /** How much of each has arrived. @type {Map<string, number>} */
  #arrived = new Map();
  /** Tells those who wait. */
  #tell = () => {};
  /** @type {(() => void)[]} */
  #free = [];
  /** Those that wait until others are loaded. @type {(() => void)[]} */
  #queue = [];
  #loading = 0;
  /** The images behind elements that are scaled. @type {WeakMap<HTMLImageElement, HTMLImageElement>} */
  #sources = new WeakMap();
  /** Enlarged pixels, by image and factor. @type {Map<HTMLImageElement, Map<number, ImageData>>} */
  #enlarged = new Map();
  #abort = new AbortController();
  /** How long the last of them took from when they were first asked for, in seconds. */
  took = 0;
  #asked = 0;

  /** Whether these images are loaded. @param {readonly string[]} tokens */
  has(tokens) {
    return tokens.every((token) => this.#loaded.has(token));
  }

  /**
   * Loads images, each once, however often they are asked for.
   * @param {readonly string[]} tokens
   * @param {(done: number, all: number) => void} progress how many there are, with the shares of those that are on their way
   * @throws {Failure} the first failure
   */
  async load(tokens, progress) {
    const wanted = [...new Set(tokens)];
    this.#asked ||= performance.now();
    this.#tell = () => {
      const shares = wanted.map((token) => this.#arrived.get(token) ?? 0);
      progress(
        shares.reduce((sum, share) => sum + share, 0),
        wanted.length,
      );
    };
    this.#tell();
    // What failed while it was not needed yet is tried again.
    const each = wanted.map((token) => this.#begun.get(token)?.catch(() => this.#begin(token)) ?? this.#begin(token));
    await Promise.all(each);
  }

  /** @param {string} token @returns {Promise<void>} */
  #begin(token) {
    const loading = this.#load(token);
    this.#begun.set(token, loading);
    loading.catch(() => this.#begun.delete(token));
    return loading;
  }

  /** @param {string} token */
  async #load(token) {
    if (this.#loading === AT_ONCE) await new Promise((resolve) => this.#queue.push(() => resolve(undefined)));
    else this.#loading += 1;
    try {
      this.#abort.signal.throwIfAborted();
      const { loaded, free } = await load(token, this.#abort.signal, (share) => {
        this.#arrived.set(token, share);
        this.#tell();
      });
      if (this.#abort.signal.aborted) return free();
      this.#free.push(free);
      this.#loaded.set(token, loaded);
      this.took = (performance.now() - this.#asked) / 1000;
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#loading -= 1;
      else next();
    }
  }

  /**
   * An element for a loaded image; several may show the same one.
   * @param {string} token
   * @param {string} alternative neutral text for raters who cannot see it
   * @returns {HTMLImageElement}
   */
  element(token, alternative) {
    const element = /** @type {HTMLImageElement} */ (this.#of(token).cloneNode());
    element.alt = alternative;
    return element;
  }

  /**
   * An element for a loaded image, which is scaled together with the others of its trial.
   * @param {string} token
   * @param {string} alternative neutral text for raters who cannot see it
   * @returns {HTMLImageElement}
   */
  scaled(token, alternative) {
    const source = this.#of(token);
    const { naturalWidth: width, naturalHeight: height } = source;
    const element = scaled(this.element(token, alternative), { width, height });
    this.#sources.set(element, source);
    return element;
  }

  /**
   * The enlarged pixels of an image, computed once for each factor.
   * @param {HTMLImageElement} element that `scaled` has made
   * @param {number} factor device pixels for each pixel of the image, a whole number
   * @returns {ImageData}
   */
  enlarged(element, factor) {
    const source = this.#sources.get(element);
    if (source === undefined) throw new Error('an image is to be enlarged that is not one of the trial');
    const known = this.#enlarged.get(source) ?? new Map();
    const pixels = known.get(factor) ?? enlargedPixels(source, factor);
    this.#enlarged.set(source, known.set(factor, pixels));
    return pixels;
  }

  /**
   * An element for a loaded clip, which shows its first frame.
   * @param {string} token
   * @param {string} name neutral text for raters who cannot see it
   * @returns {HTMLVideoElement}
   */
  clip(token, name) {
    const found = this.#find(token);
    if (!('clip' in found)) throw new Failure('fatal', 'no-clip', 'a file is no clip');
    const label = name === '' ? { 'aria-hidden': 'true' } : { 'aria-label': name };
    const element = h('video', { preload: 'auto', playsinline: true, disablepictureinpicture: true, ...label });
    element.muted = true;
    element.disableRemotePlayback = true;
    // Without a time, some browsers show nothing before they play.
    element.src = `${found.clip}#t=0.001`;
    return element;
  }

  /** The HTML of a loaded text. @param {string} token @returns {string} */
  html(token) {
    const found = this.#find(token);
    if (!('html' in found)) throw new Failure('fatal', 'no-text', 'a file is no text');
    return found.html;
  }

  /** @param {string} token */
  #of(token) {
    const found = this.#find(token);
    if (!(found instanceof HTMLImageElement)) throw new Failure('fatal', 'no-image', 'a file is no image');
    return found;
  }

  /** @param {string} token */
  #find(token) {
    const loaded = this.#loaded.get(token);
    if (loaded === undefined) throw new Error('a file is asked for that was not loaded');
    return loaded;
  }

  /** Cancels requests and frees loaded images. */
  release() {
    this.#abort.abort();
    for (const free of this.#free) free();
    this.#free = [];
    this.#loaded.clear();
    this.#enlarged.clear();
  }
}
