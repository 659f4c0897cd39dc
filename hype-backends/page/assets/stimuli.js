/** Loads the images of a block: fetched, decoded and uploaded before the block begins, and released after it. */

/** Bytes of decoded pixels that a block keeps; images beyond are decoded again before their trial. */
export const DECODED_BYTES = 256 * 1024 * 1024;

const ATTEMPTS = 5;
const FIRST_WAIT_MS = 250;
const AT_ONCE = 6;
const PATIENCE_MS = 60_000;

/** A block that cannot begin, because an image of it did not come or is none. */
export class BlockFailed extends Error {
  /**
   * @param {string} token
   * @param {'network' | 'status' | 'decode'} reason
   * @param {number | null} status of the last answer, where there was one
   * @param {unknown} cause
   */
  constructor(token, reason, status, cause) {
    const why =
      reason === 'status' ? `the server answered ${status}` : reason === 'decode' ? 'it is no image' : 'no answer came';
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
 * Fetches one image, and again after a while where the network or the server is at fault.
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
      const answer = await fetch(`image/${token}`, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
        cache: 'no-store',
      });
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
  #bytes = 0;
  #budget;

  /** @param {number} budget bytes of decoded pixels to keep */
  constructor(budget = DECODED_BYTES) {
    this.#budget = budget;
  }

  /**
   * Loads a block and lets go of the images of the one before. Images that both have are loaded once.
   * @param {readonly string[]} tokens
   * @param {(loaded: number, total: number) => void} progress
   * @returns {Promise<void>}
   * @throws {BlockFailed} with the first image that cannot be loaded; nothing is kept of the block then
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
   * Makes the images of one trial ready to be drawn. All are, unless the block is over the budget.
   * @param {readonly string[]} tokens
   * @returns {Promise<void>}
   * @throws {BlockFailed} where an image is not of this block
   */
  async ready(tokens) {
    for (const token of tokens) {
      if (this.#kept.has(token) || this.#brief.has(token)) continue;
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

  /** Lets go of what `ready` decoded for one trial. */
  trialOver() {
    for (const bitmap of this.#brief.values()) bitmap.close();
    this.#brief.clear();
  }

  /** Lets go of every image. */
  release() {
    this.trialOver();
    for (const token of [...this.#blobs.keys()]) this.#drop(token);
  }

  /**
   * Every image is decoded once even beyond the budget: a block with one that is none must not begin.
   * @param {string} token
   * @param {Blob} blob
   */
  async #add(token, blob) {
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
    this.#blobs.delete(token);
  }
}

/**
 * Draws an image out of sight, so that its upload is behind it when it is shown. The transfer makes the browser carry the
 * drawing out at once instead of with the next frame of a canvas that has none.
 * @param {ImageBitmap} bitmap
 */
function warm(bitmap) {
  const canvas = new OffscreenCanvas(1, 1);
  const context = canvas.getContext('2d', { alpha: false });
  context?.drawImage(bitmap, 0, 0, 1, 1);
  canvas.transferToImageBitmap().close();
}
