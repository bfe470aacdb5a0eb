/** The log of erasures of nodes that share a control database: in that, so any of them can repeat what another has erased. */
import type { ControlDatabase } from '../control/database.ts';
import type { Erasures } from './erasures.ts';

export class SharedErasureLog implements Erasures {
  readonly #control: Pick<ControlDatabase, 'erasedUsers' | 'hashId'>;

  constructor(control: Pick<ControlDatabase, 'erasedUsers' | 'hashId'>) {
    this.#control = control;
  }

  userErased(...[projectId, userId, { devices, upTo }]: Parameters<Erasures['userErased']>): Promise<void> {
    const hash = (id: string): string => this.#control.hashId(projectId, id);
    const erased = { at: Date.now(), user: hash(userId), devices: devices.map(hash), upTo };
    return this.#control.erasedUsers.add(projectId, erased);
  }

  /** The control database knows already. */
  projectDeleted(): void {
    return;
  }

  /** There are no copies at backups: each engine makes its own. */
  reach(): Promise<void> {
    return Promise.resolve();
  }

  behind(): Promise<{ readonly targets: number; readonly since: number | null }> {
    return Promise.resolve({ targets: 0, since: null });
  }

  watch(): void {
    return;
  }

  close(): void {
    return;
  }
}
