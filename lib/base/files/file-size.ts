import fs from 'node:fs';

/** Bytes of a file; 0 if it is missing. */
export const fileSize = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
