import { execFileSync } from 'node:child_process';

/**
 * Files below a folder that contain a text or have it in their name. One that is removed meanwhile contains nothing any more. They
 * are read in a process of their own: a process that closes a file loses the locks of all its connections to that database, and
 * another process then takes the database for one that nobody uses, and removes its log.
 */
export function filesWith(folder: string, text: string): string[] {
  return JSON.parse(execFileSync(process.execPath, ['-e', FIND, folder, text], { encoding: 'utf8' })) as string[];
}

const FIND = `
  const fs = require('node:fs');
  const path = require('node:path');
  const [folder, text] = process.argv.slice(1);
  function has(file) {
    try {
      return fs.readFileSync(file, 'latin1').includes(text);
    } catch (error) {
      if (error.code === 'ENOENT') return false;
      throw error;
    }
  }
  const entries = fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  process.stdout.write(JSON.stringify(files.filter((file) => file.includes(text) || has(file))));`;
