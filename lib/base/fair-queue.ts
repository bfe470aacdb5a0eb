/**
 * A queue in which organizations take turns, and within each its projects; first come first served within a project. Turns are
 * shares of work rather than counts: each item tells its cost, or whoever runs it charges what it cost, and next is who has
 * had least for its weight (start-time fair queuing; Goyal, Vin and Cheng, 1996). Who comes after a pause begins where the
 * others are: it neither waits for what they had before nor has saved anything up.
 */
import type { Tenant } from './project.ts';

interface Entry<T> {
  readonly item: T;
  readonly cost: number;
}

/** Somebody's place among others who share the same thing. */
interface Place {
  /** Work had so far, by weight. */
  had: number;
  /** Items that wait. */
  waiting: number;
}

interface Project<T> extends Place {
  readonly entries: Entry<T>[];
}

interface Organization<T> extends Place {
  readonly projects: Shares<Project<T>>;
}

/** Places without anything waiting that are kept, since they owe something: more are forgotten. */
const MAX_IDLE = 256;

export class FairQueue<T> {
  readonly #organizations = new Shares<Organization<T>>();

  get size(): number {
    return this.#organizations.waiting;
  }

  /** `cost`: in any unit, the same for all. 0: it is charged when it is known. */
  push(tenant: Tenant, item: T, cost = 1): void {
    const organization = this.#organization(tenant);
    const project = organization.projects.place(tenant.id, () => ({ had: 0, waiting: 0, entries: [] }));
    project.entries.push({ item, cost: cost / tenant.weight });
    organization.projects.count(project, 1);
    this.#organizations.count(organization, 1);
  }

  shift(): T | undefined {
    const organization = this.#organizations.next();
    const project = organization?.projects.next();
    const entry = project?.entries.shift();
    if (organization === undefined || project === undefined || entry === undefined) return undefined;
    this.#left(organization, project);
    project.had += entry.cost;
    organization.had += entry.cost;
    return entry.item;
  }

  /** Counts work that was done for a project: of an item that was pushed without its cost. */
  charge(tenant: Tenant, cost: number): void {
    const organization = this.#organization(tenant);
    organization.had += cost / tenant.weight;
    organization.projects.place(tenant.id, () => ({ had: 0, waiting: 0, entries: [] })).had += cost / tenant.weight;
  }

  /** The first that is so, of whichever project. */
  find(is: (item: T) => boolean): T | undefined {
    for (const { projects } of this.#organizations.all()) {
      for (const { entries } of projects.all()) {
        const found = entries.find(({ item }) => is(item));
        if (found !== undefined) return found.item;
      }
    }
    return undefined;
  }

  /** Takes an item out wherever it stands. */
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

  /** Takes out all that waits of a project, in order. */
  take(project: string): T[] {
    const taken: T[] = [];
    for (const organization of this.#organizations.all()) {
      const own = organization.projects.find(project);
      for (const { item } of own?.entries.splice(0) ?? []) {
        this.#left(organization, own!);
        taken.push(item);
      }
    }
    return taken;
  }

  #organization({ orgId }: Tenant): Organization<T> {
    return this.#organizations.place(orgId, () => ({ had: 0, waiting: 0, projects: new Shares<Project<T>>() }));
  }

  #left(organization: Organization<T>, project: Project<T>): void {
    organization.projects.count(project, -1);
    this.#organizations.count(organization, -1);
  }
}

/** Those who share one thing. */
class Shares<P extends Place> {
  readonly #places = new Map<string, P>();
  /** What whoever had the last turn had had before it. */
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
    if (this.#places.size > this.#busy + MAX_IDLE) this.#forgetIdle();
    const made = make();
    made.had = this.#now;
    this.#places.set(id, made);
    return made;
  }

  /** Items came to a place, or left it. */
  count(place: P, change: 1 | -1): void {
    if (place.waiting === 0) place.had = Math.max(place.had, this.#now);
    const before = place.waiting;
    place.waiting += change;
    this.waiting += change;
    this.#busy += Number(place.waiting > 0) - Number(before > 0);
  }

  /** Whoever of those with something waiting has had least; the first to come, of several. */
  next(): P | undefined {
    if (this.waiting === 0) return undefined;
    let next: P | undefined;
    for (const place of this.#places.values()) {
      if (place.waiting > 0 && (next === undefined || place.had < next.had)) next = place;
    }
    if (next !== undefined) this.#now = next.had;
    return next;
  }

  #forgetIdle(): void {
    for (const [id, { waiting }] of this.#places) if (waiting === 0) this.#places.delete(id);
  }
}
