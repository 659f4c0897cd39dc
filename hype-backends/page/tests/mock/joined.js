// The parts of a page as the program serves them: its modules joined into one, each in its own function, and its style sheets into one.
// A page of ninety files takes a browser three times as long.

import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

const PAGE = new URL('../../', import.meta.url);

/** @param {string} name */
const read = (name) => readFileSync(new URL(name, PAGE), 'utf8');

const SHEET = /<link rel="stylesheet" href="(.+)">/g;

/** The style sheets of a document. @param {string} html its name */
export const styles = (html) => [...read(html).matchAll(SHEET)].map(([, name = '']) => read(name)).join('\n');

/** A document with one style sheet. @param {string} html its name @param {string} sheet the name of the style sheet */
export function withOneSheet(html, sheet) {
  let sheets = 0;
  return read(html).replace(SHEET, () => (sheets++ === 0 ? `<link rel="stylesheet" href="${sheet}">` : ''));
}

/**
 * A module together with all that it imports.
 * @param {string} first its name
 * @returns {string}
 */
export function joined(first) {
  /** @type {Map<string, number>} */
  const numbers = new Map();
  let before = '';
  /** The code of a module; adds those that it imports. @param {string} name @param {string[]} exported */
  const codeOf = (name, exported) =>
    read(name)
      .replace(/^import \{([^}]*)\} from '(.+)';$/gm, (_, names, from) => {
        const path = posix.join(posix.dirname(name), from);
        return `const {${names}} = m${numbers.get(path) ?? add(path)};`;
      })
      .replace(/^export ((?:async )?(?:class|const|function\*?) (\w+))/gm, (_, declared, own) => {
        exported.push(own);
        return declared;
      });
  /** @param {string} name */
  const add = (name) => {
    /** @type {string[]} */
    const exported = [];
    const code = codeOf(name, exported);
    const number = numbers.size;
    numbers.set(name, number);
    before += `const m${number} = (() => {\n${code}\nreturn { ${exported.join(', ')} };\n})();\n`;
    return number;
  };
  const code = codeOf(first, []);
  return before + code;
}
