// Browsers that know one family of fonts, since fonts differ between machines and change how high texts are.

import { execFile } from 'node:child_process';
import { mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Families from narrow to wide letters. The last is wider than those of phones and desktops. */
const FAMILIES = ['Liberation Sans', 'Noto Sans', 'DejaVu Sans Condensed', 'DejaVu Sans'];

/**
 * The files of the families that are installed, by family.
 * @returns {Promise<[string, string[]][]>}
 */
async function installed() {
  const found = await Promise.all(
    FAMILIES.map(async (family) => {
      const { stdout } = await run('fc-list', ['--format', '%{file}\t%{family}\n', `:family=${family}`]);
      const lines = stdout.split('\n').map((line) => line.split('\t'));
      // The condensed faces are also of the family that they are condensed from.
      const own = lines.filter(([, names = '']) => names.split(',').at(-1) === family);
      return /** @type {[string, string[]]} */ ([family, own.map(([file = '']) => file)]);
    }),
  );
  return found.filter(([, files]) => files.length > 0);
}

/**
 * The narrowest and the widest of the families, each with a configuration by which a browser knows no other
 * (`FONTCONFIG_FILE`).
 * @returns {Promise<{ family: string, config: string }[]>}
 */
export async function twoFonts() {
  const all = await installed();
  const [narrow, wide] = [all[0], all.at(-1)];
  if (narrow === undefined || wide === undefined || narrow === wide) {
    throw new Error(`two of these fonts have to be installed: ${FAMILIES.join(', ')}`);
  }
  const configs = [narrow, wide].map(async ([family, files]) => {
    const folder = await mkdtemp(join(tmpdir(), 'hype-fonts-'));
    for (const file of files) await symlink(file, join(folder, basename(file)));
    const config = join(folder, 'fonts.conf');
    await writeFile(
      config,
      `<fontconfig><dir>${folder}</dir><cachedir>${join(folder, 'cache')}</cachedir></fontconfig>\n`,
    );
    return { family, config };
  });
  return Promise.all(configs);
}
