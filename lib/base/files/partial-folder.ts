/**
 * A folder for what is being made or removed: `<name>.partial-<number>`, beside what it will be. It belongs to the process that has
 * its lock. What a process that ended has left there may be copies of users who were erased since, so it must not stay.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { ExclusiveLock } from './exclusive-lock.ts';
import { namesIn } from './names-in.ts';

/** Before 0.2 the number was that of the process, and there was no lock. */
const PARTIAL = /\.partial-[0-9a-f]+(?:-old)?$/;
const LOCK = 'partial.lock';

export const isPartial = (name: string): boolean => PARTIAL.test(name);

/** A name that nobody has, for what is removed at once, or for a folder that gets a lock. */
export const partialName = (of: string): string => `${of}.partial-${randomBytes(6).toString('hex')}`;

export class PartialFolder implements Disposable {
  readonly path: string;
  /** null: it was let go of, or its file system has no locks. */
  #lock: ExclusiveLock | null;

  private constructor(folder: string, lock: ExclusiveLock | null) {
    this.path = folder;
    this.#lock = lock;
  }

  /** @param of What it will be, or what it is for; the folder around that exists. */
  static make(of: string): PartialFolder {
    const folder = partialName(of);
    fs.mkdirSync(folder, { mode: 0o700 });
    return new PartialFolder(folder, ExclusiveLock.take(path.join(folder, LOCK)));
  }

  /** Removes the lock: what is in the folder is whole, and the folder gets its name now. */
  letGo(): void {
    fs.rmSync(path.join(this.path, LOCK), { force: true });
    this.#lock?.[Symbol.dispose]();
    this.#lock = null;
  }

  /** Removes the folder, unless it has another name by now. */
  [Symbol.dispose](): void {
    this.#lock?.[Symbol.dispose]();
    this.#lock = null;
    fs.rmSync(this.path, { recursive: true, force: true });
  }
}

/** Paths of the folders in `folder` that processes have left which ended. @param of Only those for this; '': all. */
export function abandonedPartials(folder: string, of = ''): string[] {
  return namesIn(folder)
    .filter((name) => isPartial(name) && (of === '' || name.startsWith(`${of}.`)))
    .map((name) => path.join(folder, name))
    .filter((partial) => !ExclusiveLock.isHeld(path.join(partial, LOCK)));
}

/** Removes what ended processes left half made or half removed, beside `target` and in it. */
export function removePartials(target: string): void {
  removeAbandonedPartials(path.dirname(target), path.basename(target));
  removeAbandonedPartials(target);
}

/** Returns the paths of those that it has removed. */
export function removeAbandonedPartials(folder: string, of = ''): string[] {
  return abandonedPartials(folder, of).filter((partial) => {
    const file = path.join(partial, LOCK);
    // Without a lock it was about to be removed, or is of an earlier release.
    using lock = fs.existsSync(file) ? ExclusiveLock.take(file) : undefined;
    if (lock === null) return false;
    fs.rmSync(partial, { recursive: true, force: true });
    return true;
  });
}
