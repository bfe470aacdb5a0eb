/**
 * Turns of queries that start again because others held their memory. All at once they would meet again; one at a time, those of
 * one organization, which may wait until their deadlines, would keep everybody else's waiting. So each organization has one at a
 * time, of a few together, and they take turns.
 */

/** Organizations that have a turn at once. */
const TURNS = 4;

interface Organization {
  readonly waiting: (() => void)[];
  isBusy: boolean;
}

export class Retries {
  /** Those with something to do; the first has waited longest for a turn. */
  readonly #organizations = new Map<string, Organization>();
  #busy = 0;

  /** Runs `use` when it is the organization's turn. */
  async run<T>(orgId: string, use: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      this.#organization(orgId).waiting.push(begin);
      this.#next();
    });
    try {
      return await use();
    } finally {
      this.#ended(orgId);
    }
  }

  #organization(orgId: string): Organization {
    const known = this.#organizations.get(orgId);
    if (known !== undefined) return known;
    const made = { waiting: [], isBusy: false };
    this.#organizations.set(orgId, made);
    return made;
  }

  #next(): void {
    if (this.#busy === TURNS) return;
    for (const organization of this.#organizations.values()) {
      const begin = organization.isBusy ? undefined : organization.waiting.shift();
      if (begin === undefined) continue;
      organization.isBusy = true;
      this.#busy++;
      return begin();
    }
  }

  #ended(orgId: string): void {
    const organization = this.#organization(orgId);
    organization.isBusy = false;
    this.#busy--;
    this.#organizations.delete(orgId); // to the end
    if (organization.waiting.length > 0) this.#organizations.set(orgId, organization);
    this.#next();
  }
}
