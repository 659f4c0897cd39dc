/** Loads the images or texts of a block: fetched, decoded and uploaded before the block begins, and released after it. */

import { download } from './download.js';

/** The budget of decoded pixels for a block, in bytes; images beyond it are decoded again before their trial. */
export const DECODED_BYTES = 256 * 1024 * 1024;

const ATTEMPTS = 5;
const FIRST_WAIT_MS = 250;
const AT_ONCE = 6;

/** A block that cannot begin, because an image could not be loaded or decoded. */
export class BlockFailed extends Error {
  /**
   * @param {string} token
   * @param {'network' | 'status' | 'decode'} reason
   * @param {number | null} status of the last answer, where there was one
   * @param {unknown} cause
   */
  constructor(token, reason, status, cause) {
    const why =
      reason === 'status'
        ? `the server answered ${status}`
        : reason === 'decode'
          ? 'it is not an image'
          : 'there was no response';
    super(`image ${token} cannot be loaded: ${why}`, { cause });
    this.name = 'BlockFailed';
    this.token = token;
    this.reason = reason;
    this.status = status;
  }
}

/**
 * @param {number} ms
 * @param {AbortSignal} signal ends the wait
 * @returns {Promise<void>}
 */
function wait(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}

/**
 * Fetches one image, with retries if the network or the server fails.
 * @param {string} token
 * @param {AbortSignal} signal
 * @returns {Promise<Blob>}
 */
async function fetched(token, signal) {
  for (let attempt = 1; ; attempt += 1) {
    /** @type {BlockFailed} */
    let failure;
    let pause = FIRST_WAIT_MS * 2 ** (attempt - 1);
    try {
      const answer = await download(`image/${token}`, signal);
      if (answer.ok) {
        return await answer.blob();
      }
      failure = new BlockFailed(token, 'status', answer.status, null);
      const after = Number(answer.headers.get('retry-after'));
      pause = after > 0 ? after * 1000 : pause;
      if (answer.status < 500 && answer.status !== 429 && answer.status !== 408) {
        throw failure;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof BlockFailed) {
        throw error;
      }
      failure = new BlockFailed(token, 'network', null, error);
    }
    if (attempt === ATTEMPTS) {
      throw failure;
    }
    await wait(pause, signal);
    signal.throwIfAborted();
  }
}

/**
 * @param {string} token
 * @param {Blob} blob
 */
async function decoded(token, blob) {
  try {
    return await createImageBitmap(blob);
  } catch (error) {
    throw new BlockFailed(token, 'decode', null, error);
  }
}

/** The images of one block. */
export class Stimuli {
  /** @type {Map<string, Blob>} */
  #blobs = new Map();
  /** @type {Map<string, ImageBitmap>} */
  #kept = new Map();
  /** @type {Map<string, ImageBitmap>} */
  #brief = new Map();
  /** The HTML of texts, which need no decoding. @type {Map<string, string>} */
  #texts = new Map();
  #bytes = 0;
  #budget;

  /** @param {number} budget bytes of decoded pixels to keep */
  constructor(budget = DECODED_BYTES) {
    this.#budget = budget;
  }

  /**
   * Loads a block and releases the images of the previous one. Images in both are loaded once.
   * @param {readonly string[]} tokens
   * @param {(loaded: number, total: number) => void} progress
   * @returns {Promise<void>}
   * @throws {BlockFailed} for the first image that cannot be loaded; the block is released
   */
  async load(tokens, progress = () => {}) {
    const wanted = new Set(tokens);
    for (const token of this.#blobs.keys()) {
      if (!wanted.has(token)) this.#drop(token);
    }
    const queue = [...wanted].filter((token) => !this.#blobs.has(token));
    let loaded = wanted.size - queue.length;
    progress(loaded, wanted.size);
    const stop = new AbortController();
    const worker = async () => {
      for (let token = queue.shift(); token !== undefined; token = queue.shift()) {
        await this.#add(token, await fetched(token, stop.signal));
        loaded += 1;
        progress(loaded, wanted.size);
      }
    };
    const workers = Array.from({ length: AT_ONCE }, worker);
    try {
      await Promise.all(workers);
    } catch (error) {
      stop.abort();
      queue.length = 0;
      await Promise.allSettled(workers);
      this.release();
      throw error;
    }
  }

  /**
   * Prepares the images of one trial for drawing. Unless the block exceeds the budget, all are ready.
   * @param {readonly string[]} tokens
   * @returns {Promise<void>}
   * @throws {BlockFailed} if an image is not in this block
   */
  async ready(tokens) {
    for (const token of tokens) {
      if (this.#kept.has(token) || this.#brief.has(token) || this.#texts.has(token)) continue;
      const blob = this.#blobs.get(token);
      if (blob === undefined) throw new BlockFailed(token, 'status', 404, null);
      const bitmap = await decoded(token, blob);
      warm(bitmap);
      this.#brief.set(token, bitmap);
    }
  }

  /**
   * @param {string} token of an image that is ready
   * @returns {ImageBitmap}
   */
  bitmap(token) {
    const bitmap = this.#kept.get(token) ?? this.#brief.get(token);
    if (bitmap === undefined) throw new BlockFailed(token, 'status', 404, null);
    return bitmap;
  }

  /** The HTML of a text; `null` for an image. @param {string} token */
  html(token) {
    return this.#texts.get(token) ?? null;
  }

  /** Releases what `ready` decoded for one trial. */
  trialOver() {
    for (const bitmap of this.#brief.values()) bitmap.close();
    this.#brief.clear();
  }

  /** Releases every image. */
  release() {
    this.trialOver();
    for (const token of [...this.#blobs.keys()]) this.#drop(token);
  }

  /**
   * Decodes every image once even beyond the budget: a block with an invalid image does not begin.
   * @param {string} token
   * @param {Blob} blob
   */
  async #add(token, blob) {
    if (blob.type.startsWith('text/plain')) {
      this.#texts.set(token, await blob.text());
      this.#blobs.set(token, blob);
      return;
    }
    const bitmap = await decoded(token, blob);
    const bytes = bitmap.width * bitmap.height * 4;
    this.#blobs.set(token, blob);
    if (this.#bytes + bytes > this.#budget) {
      bitmap.close();
      return;
    }
    warm(bitmap);
    this.#bytes += bytes;
    this.#kept.set(token, bitmap);
  }

  /** @param {string} token */
  #drop(token) {
    const bitmap = this.#kept.get(token);
    if (bitmap !== undefined) {
      this.#bytes -= bitmap.width * bitmap.height * 4;
      bitmap.close();
      this.#kept.delete(token);
    }
    this.#texts.delete(token);
    this.#blobs.delete(token);
  }
}

/**
 * Draws an image off screen, which uploads it before it is shown. The transfer forces the browser to draw at once;
 * otherwise it would wait for the next frame, which an invisible canvas does not have.
 * @param {ImageBitmap} bitmap
 */
function warm(bitmap) {
  const canvas = new OffscreenCanvas(1, 1);
  const context = canvas.getContext('2d', { alpha: false });
  context?.drawImage(bitmap, 0, 0, 1, 1);
  canvas.transferToImageBitmap().close();
}
