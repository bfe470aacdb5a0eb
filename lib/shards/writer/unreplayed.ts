import type { AppError } from '../../base/errors.ts';
import { damaged } from '../file/shard-file.ts';

/** Projects with acknowledged events that could not be taken up: answers would be wrong, so none are given until a restart. */
export class Unreplayed {
  readonly #errors = new Map<string, AppError>();
  /** The first journal file with such an event; Infinity if none. */
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

  /** @param file The first file with events of the project. */
  add(project: string, error: unknown, file: number): AppError {
    const told = damaged(error, project);
    this.#errors.set(project, told);
    this.neededFile = Math.min(this.neededFile, file);
    return told;
  }

  /** Throws if the project is one of these. */
  check(project: string): void {
    const error = this.#errors.get(project);
    if (error) throw error;
  }

  forget(project: string): void {
    this.#errors.delete(project);
    if (this.#errors.size === 0) this.neededFile = Infinity;
  }
}
