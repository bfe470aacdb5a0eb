import fs from 'node:fs';

/** Opens a file; `using` closes it. */
export function openedFile(path: string, flags: string | number, mode?: number): { readonly fd: number } & Disposable {
  const fd = fs.openSync(path, flags, mode);
  return { fd, [Symbol.dispose]: () => fs.closeSync(fd) };
}
