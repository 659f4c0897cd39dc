// A rater who looks closely at the images of a trial.

/**
 * @import { Page } from "playwright-core"
 * @import { Point } from "../../assets/sight.js"
 */

/** How long a view has to last to be reported by itself, in milliseconds, with some to spare. */
const LOOK = 300;

/** What is seen of an image: the size as a multiple of its place, the point in the middle of its place, and its left edge there.
 * @typedef {{ zoom: number, x: number, y: number, left: number }} Seen */

/** The trial of a page. */
export class Close {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
  }

  /** Looks for long enough, from when what was done before is drawn. */
  async looked() {
    await this.page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    await this.page.waitForTimeout(LOOK);
  }

  /** A control. @param {"in" | "out" | "whole" | "flip" | "side" | "divider"} name */
  tool(name) {
    return this.page.locator(`[data-action="closely-${name}"]`);
  }

  /** The key of a control. @param {"flip" | "divider"} name */
  async keyOf(name) {
    return (await this.tool(name).getAttribute('aria-keyshortcuts')) ?? '';
  }

  /** What was announced last. */
  async said() {
    return (await this.page.locator('.closely [role=status]').textContent()) ?? '';
  }

  /** What is seen of every image, worked out from where its corners are. @returns {Promise<Seen[]>} */
  images() {
    return this.page.locator('.lens').evaluateAll((lenses) =>
      lenses.map((lens) => {
        const [place, image] = [
          lens.getBoundingClientRect(),
          lens.querySelector('img, video')?.getBoundingClientRect(),
        ];
        if (image === undefined) throw new Error('a lens without an image');
        const left = (place.left - image.left) / image.width;
        const top = (place.top - image.top) / image.height;
        const zoom = image.width / place.width;
        return { zoom, x: left + 0.5 / zoom, y: top + 0.5 / zoom, left };
      }),
    );
  }

  /** Device pixels for each pixel of an image. */
  factor() {
    return this.page
      .locator('.trial .scaled')
      .first()
      .evaluate((one) => (one.getBoundingClientRect().width * devicePixelRatio) / Number(one.getAttribute('width')));
  }

  /** The places of the images that can be seen. */
  boxes() {
    return this.page.locator('.trial .scaled').evaluateAll((images) =>
      images
        .map((image) => image.closest('.lens') ?? image)
        .filter((place) => getComputedStyle(place).visibility === 'visible')
        .map((place) => {
          const { x, y, width, height } = place.getBoundingClientRect();
          return { x, y, width, height };
        }),
    );
  }

  /** How many images can be seen. */
  async seen() {
    return (await this.boxes()).length;
  }

  /** The places of the controls that can be seen. */
  tools() {
    return this.page.locator('.closely :is(button, input):visible').evaluateAll((controls) =>
      controls.map((control) => {
        const { y, height } = control.getBoundingClientRect();
        return { y, height };
      }),
    );
  }

  /** The share of the place that shows the source, as seen; `null` without a divider. @returns {Promise<number | null>} */
  divider() {
    return this.page
      .locator('.divider')
      .first()
      .evaluate((line) => {
        const [box, place] = [line.getBoundingClientRect(), line.parentElement?.getBoundingClientRect()];
        if (box.width === 0 || place === undefined) return null;
        return Math.round((100 * (box.x + box.width / 2 - place.x)) / place.width) / 100;
      });
  }

  /** @param {number | "judged"} image its number from 0, or the one next to a source @param {Point} at */
  async #point(image, at) {
    const places = this.page.locator(image === 'judged' ? '.stimulus .lens' : '.trial .scaled');
    const place = await places.nth(image === 'judged' ? 0 : image).evaluate((one) => {
      const { x, y, width, height } = (one.closest('.lens') ?? one).getBoundingClientRect();
      return { x, y, width, height };
    });
    return { x: place.x + at.x * place.width, y: place.y + at.y * place.height };
  }

  /** Turns the wheel by a notch. @param {number} image @param {Point} at @param {"in" | "out"} way */
  async wheel(image, at, way) {
    const { x, y } = await this.#point(image, at);
    await this.page.mouse.move(x, y);
    await this.page.mouse.wheel(0, way === 'in' ? -100 : 100);
    // Browsers handle wheels in the next frame.
    await this.page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
  }

  /** @param {number | "judged"} image @param {Point} from @param {Point} to */
  async drag(image, from, to) {
    const [start, end] = [await this.#point(image, from), await this.#point(image, to)];
    await this.page.mouse.move(start.x, start.y);
    await this.page.mouse.down();
    await this.page.mouse.move(end.x, end.y, { steps: 6 });
    await this.page.mouse.up();
  }
}

/** Fingers on a page, in CSS pixels. @param {Page} page */
export async function fingers(page) {
  const session = await page.context().newCDPSession(page);
  const send = (/** @type {"touchStart" | "touchMove" | "touchEnd"} */ type, /** @type {Point[]} */ touchPoints) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints });
  return {
    /** Two fingers about a point move apart. @param {Point} at @param {number} from @param {number} to */
    async pinch({ x, y }, from, to) {
      const points = (/** @type {number} */ apart) => [
        { x: x - apart, y },
        { x: x + apart, y },
      ];
      await send('touchStart', points(from).slice(0, 1));
      await send('touchStart', points(from));
      for (let step = 1; step <= 6; step += 1) await send('touchMove', points(from + ((to - from) * step) / 6));
      await send('touchEnd', []);
    },
    /** @param {Point} from @param {Point} to */
    async drag(from, to) {
      await send('touchStart', [from]);
      for (let step = 1; step <= 6; step += 1) {
        const share = step / 6;
        await send('touchMove', [{ x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }]);
      }
      await send('touchEnd', []);
    },
  };
}
