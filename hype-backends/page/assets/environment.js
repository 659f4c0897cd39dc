// The browser and screen, and whether they meet the study's requirements.

import { calibrate } from './refresh.js';

/**
 * @import { Calibration, Environment, Needs } from "../page.js"
 */

/**
 * Measures the screen's frames.
 * @returns {Promise<Calibration | null>} `null` if the refresh rate could not be measured
 */
export function measure() {
  return calibrate().catch(() => null);
}

/**
 * The environment as it is now.
 * @param {Calibration | null} calibration zeros stand for what could not be measured
 * @returns {Environment}
 */
export function environmentWith(calibration) {
  // A page that can fill the screen has the whole screen for a timed block.
  const room = document.fullscreenEnabled
    ? { width: screen.width, height: screen.height }
    : { width: innerWidth, height: innerHeight };
  return {
    ...room,
    pixel_ratio: devicePixelRatio,
    touch: navigator.maxTouchPoints > 0 && !matchMedia('(any-pointer: fine)').matches,
    refresh_hz: calibration?.refresh_hz ?? 0,
    frame_us: calibration?.frame_us ?? 0,
    frame_spread: calibration?.frame_spread ?? 0,
    grain_us: calibration?.grain_us ?? 0,
    reduced_motion: matchMedia('(prefers-reduced-motion: reduce)').matches,
  };
}

/** The share by which the refresh rate may be too low: a screen of 60 Hz may have 59.94. */
const SLACK = 0.02;

/**
 * The requirements that a device does not meet: `size`, `refresh` or `keyboard`. A device whose only pointer is a touch
 * screen counts as one without a keyboard.
 * @param {Needs} needs
 * @param {Environment} environment
 * @returns {("size" | "refresh" | "keyboard")[]}
 */
export function unmet(needs, environment) {
  /** @type {("size" | "refresh" | "keyboard")[]} */
  const missing = [];
  if (environment.width < needs.width || environment.height < needs.height) missing.push('size');
  if (environment.refresh_hz < needs.refresh_hz * (1 - SLACK)) missing.push('refresh');
  if (needs.keyboard && environment.touch) missing.push('keyboard');
  return missing;
}
