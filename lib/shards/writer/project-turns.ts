/** Whose turn is next: organizations take turns, then their projects, so that a flood from one does not hold up the others. */
import { Turns } from '../../base/turns.ts';
import type { ProjectActor } from './project-actor.ts';

/** Cost of a turn besides the bytes of a request, so that small requests make turns no longer. */
const OVERHEAD = 4_096;
/** Cost of a slice, or a lookup: about what arrives in its time. How many a body takes its size does not tell. */
const OF_SLICE = 256 << 10;

export class ProjectTurns {
  /** Projects that are ready, each once. */
  readonly #ordinary = new Turns<ProjectActor>();
  /** Projects with a message that does not wait for the turns of others. */
  readonly #urgent = new Set<ProjectActor>();
  /** Projects whose events wait for running seals to make room. */
  readonly #crowded = new Set<ProjectActor>();

  /** Whether a project is ready. */
  get any(): boolean {
    return this.#ordinary.size > 0 || this.#urgent.size > 0;
  }

  /** Queues a project if it is ready. Whoever continues pays for a slice, else it would be preferred to all others for ever. */
  add(project: ProjectActor): void {
    const { next, request, state, tenant } = project;
    if (!project.isReady || (next?.op === 'append' && this.#crowded.has(project))) return;
    const isContinued = request !== null || state.kind === 'loading';
    if (project.isUrgent && !isContinued) this.#urgent.add(project);
    else if (!project.isQueued) {
      project.isQueued = true;
      const isSmall = !isContinued && next?.op === 'append';
      this.#ordinary.push(tenant, project, isSmall ? Math.min(next.body.byteLength + OVERHEAD, OF_SLICE) : OF_SLICE);
    }
  }

  next(): ProjectActor | undefined {
    for (const project of this.#urgent) {
      this.#urgent.delete(project);
      if (project.isReady) return project;
    }
    for (let project = this.#ordinary.shift(); project !== undefined; project = this.#ordinary.shift()) {
      project.isQueued = false;
      if (project.isReady) return project;
    }
    return undefined;
  }

  /** The events of a project wait until seals have made room. */
  crowd(project: ProjectActor): void {
    this.#crowded.add(project);
  }

  /** There may be room. */
  uncrowd(): void {
    const crowded = [...this.#crowded];
    this.#crowded.clear();
    for (const project of crowded) this.add(project);
  }
}
