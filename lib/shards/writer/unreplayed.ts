import type { AppError } from '../../base/errors.ts';
import { damaged } from '../file/shard-file.ts';

/** Projects some of whose acknowledged events could not be taken up: without them answers would be wrong, so until the next start they get none. */
export class Unreplayed {
  readonly #errors = new Map<string, AppError>();
  /** The first journal file that holds such an event; Infinity: none does. */
  neededFile = Infinity;

  get error(): AppError | null {
    return [...this.#errors.values()][0] ?? null;
  }

  get projects(): Iterable<string> {
    return this.#errors.keys();
  }

  has(project: string): boolean {
    return this.#errors.has(project);
  }

  /** @param file The first that has events of the project. */
  add(project: string, error: unknown, file: number): AppError {
    const told = damaged(error, project);
    this.#errors.set(project, told);
    this.neededFile = Math.min(this.neededFile, file);
    return told;
  }

  /** Throws for such a project. */
  check(project: string): void {
    const error = this.#errors.get(project);
    if (error) throw error;
  }

  /** The project was deleted. */
  forget(project: string): void {
    this.#errors.delete(project);
    if (this.#errors.size === 0) this.neededFile = Infinity;
  }
}
