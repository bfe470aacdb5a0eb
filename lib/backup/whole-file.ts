/** Whole files of a backup: copied, synced and summed. */
import { makeFolderOnDisk } from '../base/files/make-folders.ts';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { syncPath } from '../base/files/sync-path.ts';
import { filePieces } from '../base/files/file-pieces.ts';

/** SHA-256 of a file's content in hex, and its length. */
export function sumOfFile(file: string): { readonly bytes: number; readonly sha256: string } {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const piece of filePieces(file)) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Syncs a file and reads it back. */
export function finishedSum(file: string): ReturnType<typeof sumOfFile> {
  syncPath(file);
  return sumOfFile(file);
}

/** Why a file cannot be read to its end, such as bad sectors; null: it can. */
export function whyUnreadable(file: string): string | null {
  try {
    sumOfFile(file);
    return null;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return `its file cannot be read (${String(error.code)})`;
  }
}

/** Copies a file, making its folder; its content is on disk when this returns, though its name may not be. */
export function copyToDisk(from: string, to: string): void {
  makeFolderOnDisk(path.dirname(to));
  fs.copyFileSync(from, to);
  syncPath(to);
}
