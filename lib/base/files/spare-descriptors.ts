/**
 * Descriptors kept for what must not fail for want of one: a module that could not be loaded stays unloaded until the process ends,
 * as its error is remembered.
 */
import fs from 'node:fs';
import os from 'node:os';

/** Files that are open at once while modules are loaded. */
const COUNT = 8;

/** Takes them. Call what is returned, once, right before they are needed. */
export function spareDescriptors(): () => void {
  const taken = Array.from({ length: COUNT }, () => fs.openSync(os.devNull, 'r'));
  return () => {
    for (const fd of taken.splice(0)) fs.closeSync(fd);
  };
}
