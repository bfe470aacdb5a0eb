// The licenses of the packages in a bundle, which ask for their text wherever their code is.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './root.mjs';

const LICENCE = /^(?:licen[cs]e|copying|notice)(?:[.-]|$)/i;

/** @param inputs Files that a bundle was made of, relative to the checkout. One text: each package with its license. */
export function noticesOf(inputs) {
  const folders = new Set(inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []));
  const notices = [...folders].toSorted((a, b) => (a < b ? -1 : 1)).map(noticeOf);
  return `wl contains these packages.\n\n${[...new Set(notices)].join(`\n${'-'.repeat(80)}\n\n`)}`;
}

function noticeOf(folder) {
  const path = join(ROOT, folder);
  const { name, version, license, author } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const texts = readdirSync(path)
    .filter((file) => LICENCE.test(file))
    .toSorted()
    .map((file) => readFileSync(join(path, file), 'utf8').trim());
  const by = typeof author === 'string' ? author : author?.name;
  const said = texts.length > 0 ? texts.join('\n\n') : `${license}${by === undefined ? '' : `, by ${by}`}`;
  return `${name} ${version}\n\n${said}\n`;
}
