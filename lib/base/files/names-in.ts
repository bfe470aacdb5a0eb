import fs from 'node:fs';

/** What a folder holds; nothing if it is missing. */
export const namesIn = (folder: string): readonly string[] => (fs.existsSync(folder) ? fs.readdirSync(folder) : []);
