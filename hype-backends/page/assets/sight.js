// What a rater sees of a trial's images: how far all of them are zoomed, in step, and whether they are flipped or compared by
// a divider. Nothing here knows the document.

/**
 * What is seen of every image. Places are what images take on the page when they are whole.
 * @typedef {object} Sight
 * @property {number} zoom the size of images as a multiple of their places, at least 1
 * @property {number} x the point of each image in the middle of its place, as a share of the image's width from the left
 * @property {number} y the same as a share of its height from above
 * @property {number | null} front the image in front where images are in one place in turn, or `null` if each is in its own
 * @property {number | null} divider the share of each place from the left that shows the source, or `null` without a divider
 */

/** A point of a place, as shares of its width and height. @typedef {{ x: number, y: number }} Point */

/** The middle of a place. @type {Point} */
export const MIDDLE = Object.freeze({ x: 0.5, y: 0.5 });

/** Every image whole and in its own place. @type {Sight} */
export const WHOLE = Object.freeze({ zoom: 1, ...MIDDLE, front: null, divider: null });

/** The device pixels for each pixel of an image up to which every image can be zoomed. */
const CLOSEST = 8;

/** Whole factors in steps that look equal. */
const FACTORS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

/** Steps closer than this to the next one are left out. */
const APART = 1.1;

/**
 * The zooms at which images come to rest, from 1. Beyond their own size, images have whole numbers of device pixels for each
 * pixel; below it, sizes differ by the root of 2.
 * @param {number} factor device pixels for each pixel of a whole image
 * @returns {number[]}
 */
export function stepsFrom(factor) {
  const steps = [1];
  for (let reduced = factor * Math.SQRT2; reduced * APART < 1; reduced *= Math.SQRT2) steps.push(reduced / factor);
  const last = Math.max(CLOSEST, 2 * factor);
  for (const whole of FACTORS) {
    if (whole < factor * APART) continue;
    steps.push(whole / factor);
    if (whole >= last) break;
  }
  return steps;
}

/** @param {Sight} sight @returns {boolean} */
export function isWhole({ zoom, front, divider }) {
  return zoom === 1 && front === null && divider === null;
}

/**
 * The point of each image at a point of its place.
 * @param {Sight} sight
 * @param {Point} at
 * @returns {Point}
 */
export function imagePoint({ zoom, x, y }, at) {
  return { x: x + (at.x - 0.5) / zoom, y: y + (at.y - 0.5) / zoom };
}

/**
 * Keeps every place filled by its image.
 * @param {Sight} sight
 * @returns {Sight}
 */
function filled(sight) {
  const half = 0.5 / sight.zoom;
  const within = (/** @type {number} */ share) => Math.min(1 - half, Math.max(half, share));
  return { ...sight, x: within(sight.x), y: within(sight.y) };
}

/**
 * Zooms about a point of the places, which goes on showing the same point of each image as far as places stay filled.
 * @param {Sight} sight
 * @param {number} zoom
 * @param {Point} about
 * @returns {Sight}
 */
export function zoomedTo(sight, zoom, about) {
  const held = imagePoint(sight, about);
  const closest = Math.max(1, zoom);
  return filled({
    ...sight,
    zoom: closest,
    x: held.x - (about.x - 0.5) / closest,
    y: held.y - (about.y - 0.5) / closest,
  });
}

/**
 * Zooms to the next step.
 * @param {Sight} sight
 * @param {readonly number[]} steps
 * @param {"in" | "out"} way
 * @param {Point} about
 * @returns {Sight} the same if there is no such step
 */
export function stepped(sight, steps, way, about) {
  const next =
    way === 'in'
      ? steps.find((zoom) => zoom > sight.zoom * 1.001)
      : steps.findLast((zoom) => zoom < sight.zoom / 1.001);
  return next === undefined ? sight : zoomedTo(sight, next, about);
}

/**
 * Zooms to the nearest step, as at the end of a pinch.
 * @param {Sight} sight
 * @param {readonly number[]} steps
 * @param {Point} about
 * @returns {Sight}
 */
export function settled(sight, steps, about) {
  const distance = (/** @type {number} */ zoom) => Math.abs(Math.log(zoom / sight.zoom));
  return zoomedTo(
    sight,
    steps.reduce((best, zoom) => (distance(zoom) < distance(best) ? zoom : best)),
    about,
  );
}

/**
 * Moves all images.
 * @param {Sight} sight
 * @param {number} right as a share of the places' width
 * @param {number} down as a share of their height
 * @returns {Sight}
 */
export function moved(sight, right, down) {
  return filled({ ...sight, x: sight.x - right / sight.zoom, y: sight.y - down / sight.zoom });
}

/**
 * Brings images to one place, and there the next one to the front.
 * @param {Sight} sight
 * @param {number} images how many
 * @returns {Sight}
 */
export function flipped(sight, images) {
  return { ...sight, divider: null, front: sight.front === null ? 0 : (sight.front + 1) % images };
}

/**
 * Puts every image into its own place.
 * @param {Sight} sight
 * @returns {Sight}
 */
export function apart(sight) {
  return { ...sight, front: null };
}

/**
 * Places the divider, or takes it away.
 * @param {Sight} sight
 * @param {number | null} divider
 * @returns {Sight}
 */
export function divided(sight, divider) {
  return { ...sight, front: null, divider: divider === null ? null : Math.min(1, Math.max(0, divider)) };
}
