import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enlarged, phases } from '../assets/lanczos.js';
import { generator } from './mock/pictures.js';

/**
 * An opaque image.
 * @param {number} width
 * @param {number} height
 * @param {(x: number, y: number, channel: number) => number} value
 */
function image(width, height, value) {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let at = 0; at < data.length; at += 1) {
    const pixel = Math.floor(at / 4);
    data[at] = at % 4 === 3 ? 255 : value(pixel % width, Math.floor(pixel / width), at % 4);
  }
  return { width, height, data };
}

/** @param {{ width: number, data: Uint8ClampedArray }} of @param {number} x @param {number} y @param {number} channel */
const value = (of, x, y, channel) => of.data[(y * of.width + x) * 4 + channel] ?? NaN;

/** @param {number} x */
const sinc = (x) => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

/**
 * One value of an enlarged image straight from the definition: over the plane of mirrored copies, with both axes at once.
 * @param {ReturnType<typeof image>} source
 * @param {number} factor
 * @param {number} x
 * @param {number} y
 * @param {number} channel
 */
function defined(source, factor, x, y, channel) {
  const [centreX, centreY] = [(x + 0.5) / factor - 0.5, (y + 0.5) / factor - 0.5];
  const lanczos = (/** @type {number} */ d) => (Math.abs(d) < 3 ? sinc(d) * sinc(d / 3) : 0);
  const seen = (/** @type {number} */ place, /** @type {number} */ length) => {
    let at = place;
    while (at < 0 || at >= length) at = at < 0 ? -1 - at : 2 * length - 1 - at;
    return at;
  };
  let [sum, weights] = [0, 0];
  for (let v = Math.ceil(centreY - 3); v <= centreY + 3; v += 1) {
    for (let u = Math.ceil(centreX - 3); u <= centreX + 3; u += 1) {
      const weight = lanczos(u - centreX) * lanczos(v - centreY);
      sum += weight * value(source, seen(u, source.width), seen(v, source.height), channel);
      weights += weight;
    }
  }
  return Math.min(255, Math.max(0, sum / weights));
}

test('the weights of two-fold enlargement are those of the kernel, and sum to 1', () => {
  const [before, after] = phases(2);
  // Lanczos kernel with a = 3 at distances of 2.75, 1.75, 0.75, 0.25, 1.25 and 2.25, divided by their sum, 0.9970.
  const known = [0.0074, -0.068, 0.271, 0.8928, -0.1333, 0.0301];
  assert.deepEqual(before?.first, -3);
  assert.deepEqual(after?.first, -2);
  for (const [at, weight] of known.entries()) {
    assert.ok(Math.abs((before?.weights[at] ?? NaN) - weight) < 5e-5, `${at}: ${before?.weights[at]}`);
    assert.ok(Math.abs((after?.weights[5 - at] ?? NaN) - weight) < 5e-5, `${at}: ${after?.weights[5 - at]}`);
  }
  for (const factor of [1, 2, 3, 5, 8]) {
    for (const { weights } of phases(factor)) {
      assert.ok(Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 1) < 1e-12);
    }
  }
});

test('an enlarged image is what the definition says', () => {
  const random = generator(11);
  const source = image(9, 7, () => Math.floor(random() * 256));
  for (const factor of [2, 3, 4, 7]) {
    const found = enlarged(source, factor);
    assert.deepEqual([found.width, found.height], [9 * factor, 7 * factor]);
    for (let y = 0; y < found.height; y += 1) {
      for (let x = 0; x < found.width; x += 1) {
        for (const channel of [0, 1, 2]) {
          const wanted = defined(source, factor, x, y, channel);
          const gap = Math.abs(value(found, x, y, channel) - wanted);
          assert.ok(gap <= 0.501, `× ${factor} at ${x}, ${y}, ${channel}: ${value(found, x, y, channel)}, ${wanted}`);
        }
        assert.equal(value(found, x, y, 3), 255);
      }
    }
  }
});

test('an even image stays even, also at its edges, and images smaller than the kernel are mirrored', () => {
  for (const [width, height] of /** @type {const} */ ([
    [1, 1],
    [2, 5],
    [8, 8],
  ])) {
    const source = image(width, height, (_x, _y, channel) => [17, 128, 251][channel] ?? 0);
    const found = enlarged(source, 3);
    assert.ok(found.data.every((one, at) => one === [17, 128, 251, 255][at % 4]));
  }
});

test('a mirrored image is enlarged to the mirrored result', () => {
  const random = generator(3);
  const levels = Array.from({ length: 60 }, () => Math.floor(random() * 256));
  const straight = enlarged(
    image(10, 6, (x, y) => levels[y * 10 + x] ?? 0),
    2,
  );
  const turned = enlarged(
    image(10, 6, (x, y) => levels[y * 10 + 9 - x] ?? 0),
    2,
  );
  for (let y = 0; y < 12; y += 1) {
    for (let x = 0; x < 20; x += 1) {
      assert.ok(Math.abs(value(straight, x, y, 0) - value(turned, 19 - x, y, 0)) <= 1);
    }
  }
});

test('an odd factor keeps the pixels of the image in the middle of their squares, and a factor of 1 keeps all', () => {
  const random = generator(7);
  const source = image(8, 8, () => Math.floor(random() * 256));
  assert.deepEqual(enlarged(source, 1), source);
  const found = enlarged(source, 3);
  for (let y = 0; y < 8; y += 1) {
    for (let x = 0; x < 8; x += 1) assert.equal(value(found, 3 * x + 1, 3 * y + 1, 1), value(source, x, y, 1));
  }
});
