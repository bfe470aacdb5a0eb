/** Folders of which one file cannot be written for a while. */
import fs from 'node:fs';
import path from 'node:path';

/** An account without rights of its own: root may write to whatever it can open. */
const NOBODY = 65_534;

/**
 * Runs `use` while everything in a folder can be written, but for one file, which is made if it is missing. The whole process has
 * another account meanwhile, so tests that call it have a process of their own (scripts/test-files.mjs).
 */
export async function withoutWriting(folder: string, file: string, use: () => void | Promise<void>): Promise<void> {
  const above = path.dirname(folder);
  fs.chmodSync(above, (fs.statSync(above).mode & 0o7777) | 0o011);
  fs.appendFileSync(file, '');
  for (const name of ['.', ...fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })])
    fs.chmodSync(path.join(folder, name), 0o777);
  fs.chmodSync(file, 0o444);
  const isRoot = process.geteuid!() === 0;
  if (isRoot) process.seteuid!(NOBODY);
  try {
    await use();
  } finally {
    if (isRoot) process.seteuid!(0);
    fs.chmodSync(file, 0o666);
  }
}
