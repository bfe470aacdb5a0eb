import fs from 'node:fs';
import { messageOf } from '../errors.ts';
import { openedFile } from '../files/opened-file.ts';
import { fileSize } from '../files/file-size.ts';
import { ConfigError } from './setting-source.ts';

/** What begins the description of a database in MaxMind's format, and within how many of its last bytes it stands. */
const MARK = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const DESCRIPTION_BYTES = 131_072;

/** Throws ConfigError if the file of WINDLASS_GEOIP_FILE cannot be read, or holds something else. */
export function checkLocationFile(file: string): void {
  const end = Buffer.alloc(DESCRIPTION_BYTES);
  try {
    using read = openedFile(file, 'r');
    fs.readSync(read.fd, end, 0, end.length, Math.max(0, fileSize(file) - end.length));
  } catch (error) {
    throw new ConfigError(`WINDLASS_GEOIP_FILE names a file that cannot be read: ${messageOf(error)}`);
  }
  if (!end.includes(MARK))
    throw new ConfigError(`WINDLASS_GEOIP_FILE: ${file} is no database in MaxMind format (.mmdb)`);
}
