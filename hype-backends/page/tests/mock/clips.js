// Clips with coloured frame counters, made by ffmpeg, and trials that show clips and texts.

import { execFileSync } from 'node:child_process';

/**
 * @import { Playback, ScreenPart, ScreenQuestion } from "../../page.js"
 * @import { Served, Template } from "./study.js"
 */

/** The squares of a counter, each of which is a digit of the frame's number in base 2. */
export const DIGITS = 8;

/**
 * How a clip is made.
 * @typedef {object} Recipe
 * @property {number} [frames]
 * @property {number} [rate] frames in a second
 * @property {number} [width]
 * @property {number} [height]
 * @property {number} [hue] of all frames, in degrees
 * @property {{ after: number, seconds: number }} [gap] a frame that stands for longer
 * @property {"h264" | "vp9"} [codec]
 */

/** Clips that were made before. @type {Map<string, Served>} */
const made = new Map();

/**
 * A clip. Each frame has its number in squares along its upper half, white for 1 and black for 0.
 * @param {Recipe} [recipe]
 * @returns {Served}
 */
export function counted(recipe = {}) {
  const key = JSON.stringify(recipe);
  const known = made.get(key);
  if (known !== undefined) return known;
  const { frames = 50, rate = 25, width = 320, height = 180, hue = 200, gap, codec = 'h264' } = recipe;
  const pixels = Buffer.concat(Array.from({ length: frames }, (_, at) => frameOf(at, width, height, hue)));
  const late = gap === undefined ? [] : ['-vf', `setpts=PTS+gt(N\\,${gap.after})*${gap.seconds}/TB`];
  const coded = {
    h264: ['-c:v', 'libx264', '-preset', 'ultrafast', '-movflags', 'frag_keyframe+empty_moov', '-f', 'mp4'],
    vp9: ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-f', 'webm'],
  }[codec];
  const from = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${width}x${height}`, '-r', String(rate), '-i', '-'];
  const to = [...late, '-fps_mode', 'passthrough', '-pix_fmt', 'yuv420p', '-g', '25', ...coded, '-'];
  const bytes = execFileSync('ffmpeg', ['-v', 'error', ...from, ...to], { input: pixels, maxBuffer: 2 ** 26 });
  const clip = { type: codec === 'vp9' ? 'video/webm' : 'video/mp4', bytes };
  made.set(key, clip);
  return clip;
}

/**
 * A clip in MP4 that is longer on the line by some bytes, as those are that the server pads.
 * @param {Served} clip
 * @param {number} by
 * @returns {Served}
 */
export function padded({ type, bytes }, by) {
  const box = Buffer.alloc(by);
  box.writeUInt32BE(by);
  box.write('free', 4);
  return { type, bytes: Buffer.concat([bytes, box]) };
}

/** @param {number} number @param {number} width @param {number} height @param {number} hue */
function frameOf(number, width, height, hue) {
  const ground = colourOf(hue, 0.25 + 0.5 * ((number % 25) / 25));
  const squares = Buffer.alloc(width * 3);
  for (let x = 0; x < width; x += 1) {
    const digit = Math.floor((x / width) * DIGITS);
    squares.fill((number >> (DIGITS - 1 - digit)) & 1 ? 255 : 0, x * 3, x * 3 + 3);
  }
  const plain = Buffer.alloc(width * 3, Buffer.from(ground));
  return Buffer.concat(Array.from({ length: height }, (_, y) => (y < height / 2 ? squares : plain)));
}

/** @param {number} hue @param {number} light @returns {number[]} red, green and blue */
function colourOf(hue, light) {
  return [0, 8, 4].map((n) => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (light - 0.6 * Math.min(light, 1 - light) * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  });
}

/** How most trials are played. @type {Playback} */
export const PLAYBACK = { replay: true, finish: 1, unequal: 'hold', stalls_at_most_ms: 5000 };

/** A text as the server serves it. @param {string} html @returns {Served} */
export const text = (html) => ({ type: 'text/plain; charset=utf-8', bytes: Buffer.from(html.padEnd(8192), 'utf8') });

/**
 * A trial that shows clips or texts.
 * @param {readonly Served[]} files one stands alone
 * @param {ScreenQuestion[]} questions
 * @param {Partial<Playback>} [playback]
 * @param {ScreenPart[]} [conditions] parts before them
 * @param {Served | null} [source] a clip that they are compared with
 * @returns {Template}
 */
export function played(files, questions, playback = {}, conditions = [], source = null) {
  const sizeOf = (/** @type {Served} */ { type }) =>
    type.startsWith('video/')
      ? { media: /** @type {const} */ ('video'), width: 320, height: 180 }
      : { media: /** @type {const} */ ('text'), width: 0, height: 0 };
  return {
    parts(draw) {
      const shown = files.map((file, at) => ({ image: draw(file), label: 'ABCDE'.charAt(at), ...sizeOf(file) }));
      const [alone, second] = shown;
      const before = source === null ? conditions : [...conditions, sourceOf(draw(source))];
      if (alone === undefined) return before;
      if (second !== undefined) return [...before, { part: 'gallery', exposure_ms: null, images: shown }];
      const { label: _, ...one } = alone;
      return [...before, { part: 'image', exposure_ms: null, ...one }];
    },
    questions,
    phase: 'main',
    block: null,
    rest: null,
    feedback: null,
    answerAfter: 200,
    right: null,
    playback: { ...PLAYBACK, ...playback },
  };
}

/** A clip as a source. @param {string} image @returns {ScreenPart} */
const sourceOf = (image) => ({
  part: 'condition',
  kind: 'source',
  label: null,
  text: null,
  image,
  clip: { width: 320, height: 180 },
});

/** @param {ScreenQuestion["form"]} form @param {string} text @returns {ScreenQuestion} */
const question = (form, text) => ({ id: 'question', text, help: null, language: null, required: true, form });

/** Which of two is better. @param {string} what */
export const better = (what) =>
  question(
    {
      choice: {
        options: [
          { key: 'a', label: 'A', value: 'A' },
          { key: 'b', label: 'B', value: 'B' },
          { key: 't', label: 'They are equal', value: 'tie' },
        ],
      },
    },
    `Which ${what} is better?`,
  );

/** How good something is, in five categories. @param {string} what */
export const quality = (what) =>
  question(
    {
      choice: {
        options: ['Bad', 'Poor', 'Fair', 'Good', 'Excellent'].map((label, at) => ({
          key: null,
          label,
          value: String(at + 1),
        })),
      },
    },
    `How good is the ${what}?`,
  );

/** An order of several. @param {number} count @param {string} what */
export const order = (count, what) =>
  question(
    {
      ranking: {
        candidates: [...'ABCDE'.slice(0, count)].map((label) => ({ key: label.toLowerCase(), label, value: label })),
        ties: false,
      },
    },
    `Put the ${what} in order, the best first.`,
  );
