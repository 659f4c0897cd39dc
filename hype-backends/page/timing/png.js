/** The parts of PNG that test images and screen captures need. */

import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

/** @typedef {readonly [number, number, number]} Colour red, green, blue; 0 to 255 */
/** @typedef {(x: number, y: number) => Colour} Painter the colour of a pixel */

/**
 * @param {string} type
 * @param {Buffer} data
 */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

/**
 * @param {number} width
 * @param {number} height
 * @param {Painter} painter
 * @param {number | null} [length] the length that the image is padded to, in bytes
 * @returns {Buffer}
 */
export function encode(width, height, painter, length = null) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (width * 3 + 1));
  for (let y = 0, at = 0; y < height; y += 1) {
    rows[at++] = 0;
    for (let x = 0; x < width; x += 1) {
      for (const value of painter(x, y)) rows[at++] = value;
    }
  }
  const parts = [SIGNATURE, chunk('IHDR', header), chunk('IDAT', deflateSync(rows))];
  const end = chunk('IEND', Buffer.alloc(0));
  if (length !== null) {
    const room = length - Buffer.concat([...parts, end, chunk('paDd', Buffer.alloc(0))]).length;
    if (room < 0) throw new RangeError('an image is longer than the padding');
    parts.push(chunk('paDd', Buffer.alloc(room)));
  }
  return Buffer.concat([...parts, end]);
}

/**
 * An image of one colour.
 * @param {number} width
 * @param {number} height
 * @param {Colour} colour
 */
export function flat(width, height, colour) {
  return encode(width, height, () => colour);
}

/**
 * The colour of one pixel of an image with three or four channels of eight bits, not interlaced.
 * @param {Buffer} png
 * @param {number} shareX where to look, as a share of the width
 * @param {number} shareY
 * @returns {Colour}
 */
export function pixel(png, shareX, shareY) {
  return row(png, shareY)(shareX);
}

/**
 * One row of such an image.
 * @param {Buffer} png
 * @param {number} shareY where to look, as a share of the height
 * @returns {(shareX: number) => Colour}
 */
export function row(png, shareY) {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = png[25] === 6 ? 4 : 3;
  if (png[24] !== 8 || (png[25] !== 2 && png[25] !== 6) || png[28] !== 0)
    throw new TypeError('unsupported kind of PNG');
  const parts = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const data = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const last = Math.floor(height * shareY);
  let above = new Uint8Array(stride);
  for (let y = 0; y <= last; y += 1) {
    const start = y * (stride + 1);
    above = unfilter(data[start] ?? 0, data.subarray(start + 1, start + 1 + stride), above, channels);
  }
  return (shareX) => {
    const x = Math.floor(width * shareX) * channels;
    return [above[x] ?? 0, above[x + 1] ?? 0, above[x + 2] ?? 0];
  };
}

/**
 * PNG, third edition, section 9.
 * @param {number} filter
 * @param {Uint8Array} row
 * @param {Uint8Array} above
 * @param {number} step bytes of a pixel
 */
function unfilter(filter, row, above, step) {
  const out = new Uint8Array(row.length);
  for (let i = 0; i < row.length; i += 1) {
    const left = i < step ? 0 : (out[i - step] ?? 0);
    const up = above[i] ?? 0;
    const corner = i < step ? 0 : (above[i - step] ?? 0);
    const guess =
      filter === 1
        ? left
        : filter === 2
          ? up
          : filter === 3
            ? (left + up) >> 1
            : filter === 4
              ? paeth(left, up, corner)
              : 0;
    out[i] = (row[i] ?? 0) + guess;
  }
  return out;
}

/**
 * @param {number} left
 * @param {number} up
 * @param {number} corner
 */
function paeth(left, up, corner) {
  const estimate = left + up - corner;
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}
