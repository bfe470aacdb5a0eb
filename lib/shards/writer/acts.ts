/** What a project does in its turn. It depends on its state, and on the message: this is the table of docs/architecture/writing.md. */
import { unreachable } from '../../base/unreachable.ts';
import { withoutSync } from '../file/unsynced.ts';
import { isLongCatalog } from '../read/catalog.ts';
import { failure } from '../seal/answers.ts';
import type { Snapshot } from '../shard-reader.ts';
import type { WriterAnswer, AppendMessage, Lookup } from '../writer-messages.ts';
import type { ColdAppends } from './cold-appends.ts';
import type { Compaction } from './compaction.ts';
import type { Ended, FileTasks } from './file-tasks.ts';
import type { GroupCommit } from './group-commit.ts';
import type { Loading } from './loading.ts';
import type { ProjectActor, ProjectMessage } from './project-actor.ts';
import type { ProjectTurns } from './project-turns.ts';
import type { ProjectActors } from './project-actors.ts';
import type { ProjectRemoval } from './removal.ts';
import type { RequestSteps } from './request-steps.ts';
import type { Sealing } from './sealing.ts';
import type { ShardFiles } from './shard-files.ts';

interface ActsOptions {
  readonly cold: ColdAppends;
  readonly commits: GroupCommit;
  readonly compaction: Compaction;
  readonly files: ShardFiles;
  readonly loading: Loading;
  readonly projects: ProjectActors;
  readonly removal: ProjectRemoval;
  readonly requests: RequestSteps;
  readonly sealing: Sealing;
  readonly tasks: FileTasks;
  readonly turns: ProjectTurns;
  readonly answer: (answer: WriterAnswer) => void;
}

/** A message is answered later, or processed again. */
const LATER = Symbol('later');

export class Acts {
  readonly #options: ActsOptions;

  constructor(options: ActsOptions) {
    this.#options = options;
  }

  /** One turn of a project: what it does depends on its state. */
  act(project: ProjectActor): void {
    if (project.request !== null) return this.#options.requests.take(project, project.request.message);
    const { state } = project;
    switch (state.kind) {
      case 'loading':
        return this.#options.loading.advance(project, state.steps);
      case 'cold':
        return this.#answered(project, (message, ended) => this.#whenCold(project, message, ended));
      case 'open':
      case 'busy':
        this.#options.projects.used(project);
        return this.#answered(project, (message, ended) => this.#whenOpen(project, message, ended));
      case 'broken':
        return this.#answered(project, (message, ended) => this.#whenBroken(project, message, ended, state.error));
      default:
        return unreachable(state);
    }
  }

  /**
   * Processes a project's next message. `act` returns the value of the answer, or LATER: `ended` answers it, or it is
   * processed again.
   */
  #answered(project: ProjectActor, act: (message: ProjectMessage, ended: Ended) => unknown): void {
    const message = project.take();
    const { id } = message;
    const ended: Ended = (error) =>
      this.#options.answer(error ? failure(id, error) : { id, ok: true, value: undefined });
    let value: unknown;
    try {
      if (message.op !== 'append') this.#options.commits.settleFor(message);
      value = act(message, ended);
    } catch (error) {
      return this.#options.answer(failure(id, error));
    }
    // At once: changes by a later message must not be reported before it.
    if (value !== LATER) this.#options.answer({ id, ok: true, value });
  }

  /** A project that is not loaded: what needs its shard has it loaded first. */
  #whenCold(project: ProjectActor, message: ProjectMessage, ended: Ended): unknown {
    switch (message.op) {
      case 'append':
        if (!this.#options.cold.admits(project, message)) break;
        return this.#append(project, message);
      case 'snapshot': {
        const stored = project.records !== null ? null : this.#options.files.storedSnapshot(project.id);
        if (stored === null) break;
        return { snapshot: stored, retired: [] };
      }
      case 'retain':
        if (this.#mayExpire(project, message)) break;
        return undefined;
      case 'drop':
        return this.#drop(project, ended);
      case 'thaw':
        throw new Error(`${project.id} is thawed, and was not frozen`);
      case 'replace':
        if (project.records !== null || this.#isReadable(project)) break;
        this.#options.removal.replace(project, message, ended);
        return LATER;
      case 'extent':
      case 'purge':
      case 'compacted':
      case 'freeze':
      case 'catalog':
      case 'device':
        break;
      default:
        return unreachable(message);
    }
    this.#options.loading.begin(project);
    project.putBack(message);
    return LATER;
  }

  /** A project whose shard is in memory, or one that is busy and processes the message nevertheless. */
  #whenOpen(project: ProjectActor, message: ProjectMessage, ended: Ended): unknown {
    switch (message.op) {
      case 'append':
        if (this.#options.sealing.mustWait(project)) {
          this.#options.turns.crowd(project);
          project.putBack(message);
          return LATER;
        }
        if (message.kind === 'unbind' && this.#readsBindings(project, message, deviceIn(message), ended)) return LATER;
        return this.#append(project, message);
      case 'snapshot':
        if (this.#options.sealing.sealElsewhere(project, { next: message, failed: ended })) return LATER;
        return this.#snapshot(project);
      case 'catalog':
        return this.#catalog(project, message, ended);
      case 'extent':
        return project.loaded.extent();
      case 'device':
        if (this.#readsBindings(project, message, message.deviceId, ended)) return LATER;
        return project.loaded.bindings.device(message.deviceId);
      case 'freeze':
        if (this.#options.sealing.sealElsewhere(project, { next: message, failed: ended })) return LATER;
        return this.#options.removal.freeze(project);
      case 'thaw':
        this.#options.removal.thaw(project, ended);
        return LATER;
      case 'drop':
        return this.#drop(project, ended);
      case 'replace':
        this.#options.removal.replace(project, message, ended);
        return LATER;
      case 'purge':
        this.#options.compaction.purge(project, message.segments, ended);
        return LATER;
      case 'compacted':
        this.#options.compaction.take(project, message, ended);
        return LATER;
      case 'retain':
        if (this.#options.compaction.expires(project, message.project, message.now)) {
          if (this.#options.sealing.sealElsewhere(project, { next: message, failed: ended })) return LATER;
          this.#options.sealing.seal(project);
        }
        this.#options.compaction.retain(project, message.project, message.now, ended);
        return LATER;
      default:
        return unreachable(message);
    }
  }

  /** Only what does away with the data helps; the journal keeps the records for the next start. */
  #whenBroken(project: ProjectActor, message: ProjectMessage, ended: Ended, error: Error): unknown {
    switch (message.op) {
      case 'drop':
        return this.#drop(project, ended);
      case 'replace':
        this.#options.removal.replace(project, message, ended);
        return LATER;
      default:
        throw error;
    }
  }

  #append(project: ProjectActor, message: AppendMessage): typeof LATER {
    this.#options.requests.take(project, message);
    return LATER;
  }

  #drop(project: ProjectActor, ended: Ended): typeof LATER {
    project.records = null;
    this.#options.removal.drop(project, ended);
    return LATER;
  }

  /** Whether a cold project has sealed events to drop; true if that cannot be read: loading it will report why. */
  #mayExpire(project: ProjectActor, { project: retention, now }: Extract<ProjectMessage, { op: 'retain' }>): boolean {
    try {
      return this.#options.compaction.storedExpires(project, retention, now);
    } catch {
      return true;
    }
  }

  /** Whether the shard of a cold project is not damaged. */
  #isReadable(project: ProjectActor): boolean {
    try {
      this.#options.projects.read(project);
      this.#options.projects.evict(project);
      return true;
    } catch {
      return false;
    }
  }

  #snapshot(project: ProjectActor): { snapshot: Snapshot; retired: readonly number[] } {
    const shard = project.loaded;
    if (shard.unsealed) this.#options.sealing.seal(project, withoutSync);
    this.#options.files.make(project.id);
    return { snapshot: this.#options.projects.snapshot(project), retired: shard.retired };
  }

  /** The names of a project; the store thread reads very many. */
  #catalog(project: ProjectActor, { id }: Lookup<'catalog'>, failed: Ended): unknown {
    const shard = project.loaded;
    const rest = shard.catalogRest();
    if (!isLongCatalog(rest)) return shard.catalog();
    const done = (value: unknown): void => this.#options.answer({ id, ok: true, value });
    this.#options.tasks.run<'catalog'>(project, { op: 'catalog', rest }, { done, failed });
    return LATER;
  }

  /** Has the store thread read the bindings of a device if their log is long, and the message processed again then. */
  #readsBindings(project: ProjectActor, message: ProjectMessage, deviceId: string, failed: Ended): boolean {
    const { bindings } = project.loaded;
    this.#options.commits.settle(project.id);
    const device = bindings.deviceToRead(deviceId);
    if (device === 0) return false;
    this.#options.tasks.run<'bindings'>(
      project,
      { op: 'bindings', device },
      { done: (read) => bindings.take(device, read), failed, next: message },
    );
    return true;
  }
}

/** The device whose last binding a message undoes. */
const deviceIn = ({ body }: AppendMessage): string => Buffer.from(body).toString('utf8');
