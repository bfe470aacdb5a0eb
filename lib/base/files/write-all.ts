import fs from 'node:fs';

/** Writes pieces one after the other from `position`; writev may write less than asked. */
export function writeAll(fd: number, pieces: readonly Uint8Array[], position: number): void {
  let rest = pieces;
  for (let at = position; rest.length > 0;) {
    const batch = rest.slice(0, 512); // most pieces in one writev; the system accepts at most 1,024
    let written = fs.writevSync(fd, batch, at);
    at += written;
    let done = 0;
    while (done < batch.length && written >= batch[done]!.length) written -= batch[done++]!.length;
    const torn = done < batch.length && written > 0 ? [batch[done]!.subarray(written)] : [];
    rest = [...torn, ...rest.slice(done + torn.length)];
  }
}
