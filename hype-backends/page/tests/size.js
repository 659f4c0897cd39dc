// How much of each matrix tests in a browser go through: some of it in `./test`, and all of it in `cargo xtask prove page`.

import { test } from 'node:test';

const PROVES = process.env['HYPE_PROVE'] !== undefined;

/**
 * What tests go through.
 * @template T
 * @param {T} all in proofs
 * @param {T} some in `./test`
 * @returns {T}
 */
export const sized = (all, some) => (PROVES ? all : some);

/** A test of `cargo xtask prove page` alone: what it shows is shown by others, too. */
export const testInProof = /** @type {typeof test} */ (PROVES ? test : () => Promise.resolve());

/** Languages, each with its direction: in `./test` one of each direction. @type {[string, "ltr" | "rtl"][]} */
export const LANGUAGES = sized(
  [
    ['en', 'ltr'],
    ['de', 'ltr'],
    ['es', 'ltr'],
    ['zh', 'ltr'],
    ['ar', 'rtl'],
  ],
  [
    ['en', 'ltr'],
    ['ar', 'rtl'],
  ],
);

/** Their names. */
export const LOCALES = LANGUAGES.map(([locale]) => locale);

/** Browsers that play clips and show texts. @type {("chromium" | "firefox")[]} */
export const BROWSERS = sized(['chromium', 'firefox'], ['chromium']);
