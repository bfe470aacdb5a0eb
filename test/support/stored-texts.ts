/** What the files of a data folder contain: their raw bytes, and every text packed in them. */
import Database from 'better-sqlite3';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { decodeTexts } from '../../lib/shards/segment/encoding/texts.ts';
import { COLUMN, FIRST_FIELD } from '../../lib/shards/segment/columns.ts';
import { decodeField } from '../../lib/shards/segment/decode.ts';
import { decodeInsertIds } from '../../lib/shards/segment/insert-ids/insert-ids.ts';
import { storedTriples } from '../../lib/shards/segment/triples.ts';
import type { StoredBytes } from '../../lib/shards/file/stored-bytes.ts';
import { UUID_BYTES, uuidText } from '../../lib/shards/hashing/uuid.ts';

/** Where a text occurs in the files of a folder, raw or packed in its shards. */
export function placesOf(folder: string, text: string): string[] {
  const copy = copyOf(folder);
  try {
    return placesIn(copy, text);
  } finally {
    fs.rmSync(copy, { recursive: true });
  }
}

/** Made by another process: closing a file here would release SQLite's locks on it. */
function copyOf(folder: string): string {
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'windlass-copy-'));
  const names = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = names.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
  execFileSync(process.execPath, ['-e', COPY, folder, copy], { input: JSON.stringify(files) });
  return copy;
}

/** A file deleted meanwhile no longer contains anything. */
const COPY = `
  const fs = require('node:fs');
  const path = require('node:path');
  const [folder, copy] = process.argv.slice(1);
  for (const file of JSON.parse(fs.readFileSync(0, 'utf8'))) {
    fs.mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    try {
      fs.copyFileSync(path.join(folder, file), path.join(copy, file));
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }`;

function placesIn(folder: string, text: string): string[] {
  const files = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const raw = files.filter((file) => fs.readFileSync(file).includes(text));
  const packed = files
    .filter((file) => file.endsWith('.db') && file.includes('shards'))
    .flatMap((file) => packedIn(file, text));
  return [...raw.map((file) => path.relative(folder, file)), ...packed];
}

/** Places in a shard whose unpacked texts contain a text. */
function packedIn(file: string, text: string): string[] {
  const shard = new Database(file, { readonly: true });
  try {
    const found: string[] = [];
    const look = (place: string, bytes: Uint8Array | undefined): void => {
      if (bytes && Buffer.from(bytes).includes(text)) found.push(place);
    };
    for (const { field, data } of shard
      .prepare<[], { field: number; data: Buffer }>('SELECT field, data FROM dictionaries')
      .all())
      look(`dictionary ${field}`, decodeTexts(data).bytes);
    const columns = shard.prepare<[], { segment: number; field: number; rows: number; data: Buffer }>(
      'SELECT segment, field, rows, data FROM columns JOIN segments ON segments.id = segment',
    );
    const triples = shard.prepare<[number, number], StoredBytes>(
      'SELECT data, sum FROM columns WHERE segment = ? AND field = ?',
    );
    for (const { segment, field, rows, data } of columns.all()) {
      if (field === COLUMN.insertId) {
        const { texts, uuids } = decodeInsertIds(data);
        look(`insert ids of ${segment}`, texts?.bytes);
        for (let at = 0; at < uuids.length; at += UUID_BYTES)
          look(`UUIDs of ${segment}`, Buffer.from(uuidText(uuids, at)));
      }
      const own =
        field >= FIRST_FIELD
          ? decodeField(data, rows, () => storedTriples(triples.get(segment, COLUMN.triples))).local
          : null;
      if (own) look(`column ${field} of ${segment}`, decodeTexts(own).bytes);
    }
    return found;
  } finally {
    shard.close();
  }
}
