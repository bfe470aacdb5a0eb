/**
 * A queue in which organizations take turns, and projects within each; first come, first served within a project. Turns are
 * shares of work, not counts: each item brings its cost, or whoever runs it charges the cost later; the next turn goes to
 * whoever has had least for its weight (start-time fair queuing; Goyal, Vin and Cheng, 1996). Whoever returns after a pause
 * starts level with the others: it neither waits for their past work nor has saved up any.
 */
import type { Tenant } from './project.ts';

interface Entry<T> {
  readonly item: T;
  readonly cost: number;
}

/** One member's position among those who share something. */
interface Place {
  /** Work done for it so far, by weight. */
  had: number;
  /** Waiting items. */
  waiting: number;
}

interface Project<T> extends Place {
  readonly entries: Entry<T>[];
}

interface Organization<T> extends Place {
  readonly projects: Shares<Project<T>>;
}

export class Turns<T> {
  readonly #organizations = new Shares<Organization<T>>();

  get size(): number {
    return this.#organizations.waiting;
  }

  /** `cost`: in any one unit. 0: charged once it is known. */
  push(tenant: Tenant, item: T, cost = 1): void {
    const organization = this.#organization(tenant);
    const project = organization.projects.place(tenant.id, () => ({ had: 0, waiting: 0, entries: [] }));
    project.entries.push({ item, cost: cost / tenant.weight });
    organization.projects.count(project, 1);
    this.#organizations.count(organization, 1);
  }

  /** The next item. @param may Whether the next one may be of an organization, or of a project. */
  shift(may?: (id: string) => boolean): T | undefined {
    const isReady = may && ((id: string, { projects }: Organization<T>) => may(id) && projects.next(may) !== undefined);
    const organization = this.#organizations.next(isReady);
    const project = organization?.projects.next(may);
    const entry = project?.entries.shift();
    if (organization === undefined || project === undefined || entry === undefined) return undefined;
    this.#left(organization, project);
    project.had += entry.cost;
    organization.had += entry.cost;
    return entry.item;
  }

  /** Charges a project for work done, for an item pushed without its cost. */
  charge(tenant: Tenant, cost: number): void {
    const organization = this.#organization(tenant);
    organization.had += cost / tenant.weight;
    organization.projects.place(tenant.id, () => ({ had: 0, waiting: 0, entries: [] })).had += cost / tenant.weight;
  }

  /** Waiting items of an organization or a project. */
  waitingOf(id: string): number {
    const organization = this.#organizations.find(id);
    if (organization !== undefined) return organization.waiting;
    for (const { projects } of this.#organizations.all()) {
      const project = projects.find(id);
      if (project !== undefined) return project.waiting;
    }
    return 0;
  }

  remove(item: T): boolean {
    if (this.size === 0) return false; // whoever is done asks, too
    for (const organization of this.#organizations.all()) {
      for (const project of organization.projects.all()) {
        const at = project.entries.findIndex((entry) => entry.item === item);
        if (at < 0) continue;
        project.entries.splice(at, 1);
        this.#left(organization, project);
        return true;
      }
    }
    return false;
  }

  #organization({ orgId }: Tenant): Organization<T> {
    return this.#organizations.place(orgId, () => ({ had: 0, waiting: 0, projects: new Shares<Project<T>>() }));
  }

  #left(organization: Organization<T>, project: Project<T>): void {
    organization.projects.count(project, -1);
    this.#organizations.count(organization, -1);
  }
}

/** The members that share one thing. */
class Shares<P extends Place> {
  readonly #places = new Map<string, P>();
  /** The work that the last one to get a turn had had before it. */
  #now = 0;
  waiting = 0;
  #busy = 0;

  all(): IterableIterator<P> {
    return this.#places.values();
  }

  find(id: string): P | undefined {
    return this.#places.get(id);
  }

  place(id: string, make: () => P): P {
    const known = this.#places.get(id);
    if (known !== undefined) return known;
    // Idle places to keep, since they still owe work; with more, all idle ones are forgotten.
    if (this.#places.size > this.#busy + 256) this.#forgetIdle();
    const made = make();
    made.had = this.#now;
    this.#places.set(id, made);
    return made;
  }

  /** An item came to a place, or left it. */
  count(place: P, change: 1 | -1): void {
    if (place.waiting === 0) place.had = Math.max(place.had, this.#now);
    const before = place.waiting;
    place.waiting += change;
    this.waiting += change;
    this.#busy += Number(place.waiting > 0) - Number(before > 0);
  }

  /** Of those with something waiting, the one that has had least; on a tie the first to come. */
  next(may?: (id: string, place: P) => boolean): P | undefined {
    if (this.waiting === 0) return undefined;
    let next: P | undefined;
    for (const [id, place] of this.#places) {
      if (place.waiting === 0 || (next !== undefined && place.had >= next.had)) continue;
      if (may === undefined || may(id, place)) next = place;
    }
    if (next !== undefined) this.#now = next.had;
    return next;
  }

  #forgetIdle(): void {
    for (const [id, { waiting }] of this.#places) if (waiting === 0) this.#places.delete(id);
  }
}
