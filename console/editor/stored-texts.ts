/** The texts of a dashboard on the server: checked, stored, and read in their versions, with this browser's session. */
import { answerOf, call, send } from '../../public/console/api.js';
import type { Dashboard } from '../../lib/dashboards/dashboard.ts';
import type { TextProblem } from './yaml-field.ts';

/** Either a dashboard or problems. */
export interface CheckedText {
  readonly dashboard: Dashboard | null;
  readonly problems: readonly TextProblem[];
}

export interface Version {
  readonly version: number;
  readonly updated_at: string;
  readonly updated_by: string;
}

export interface Saved {
  readonly version: number;
  readonly unchanged: boolean;
}

const YAML = { 'Content-Type': 'application/yaml' };

/** All of these reject with ApiError, or with the reason of an aborted signal. */
export class StoredTexts {
  readonly #api: string;
  /** Whose dashboard it is. */
  visibility: string;

  /** `api`: the path of the project in the session API. */
  constructor(api: string, visibility: string) {
    this.#api = api;
    this.visibility = visibility;
  }

  async check(text: string, signal: AbortSignal): Promise<CheckedText> {
    const response = await send('POST', `${this.#api}/check-dashboard`, { text, headers: YAML, signal });
    return answerOf(response, isChecked);
  }

  /** `replaces`: the version that the text was made from. A newer one is a conflict, which is refused. */
  async save(id: string, text: string, replaces: number): Promise<Saved> {
    const path = `${this.#pathOf(id)}?visibility=${this.visibility}&replaces=${replaces}`;
    return answerOf(await send('PUT', path, { text, headers: YAML }), isSaved);
  }

  /** Newest first. */
  async versions(id: string): Promise<readonly Version[]> {
    const list = await call('GET', `${this.#pathOf(id)}/versions?visibility=${this.visibility}`);
    return Array.isArray(list) ? list.filter(isVersion) : [];
  }

  async text(id: string, version: number): Promise<string> {
    const path = `${this.#pathOf(id)}?visibility=${this.visibility}&version=${version}`;
    return (await answerOf(await send('GET', path, {}), hasYaml)).yaml;
  }

  #pathOf(id: string): string {
    return `${this.#api}/dashboards/${encodeURIComponent(id)}`;
  }
}

const isChecked = (value: unknown): value is CheckedText =>
  typeof value === 'object' && value !== null && 'problems' in value && 'dashboard' in value;

const isSaved = (value: unknown): value is Saved =>
  typeof value === 'object' && value !== null && 'version' in value && 'unchanged' in value;

const hasYaml = (value: unknown): value is { readonly yaml: string } =>
  typeof value === 'object' && value !== null && 'yaml' in value && typeof value.yaml === 'string';

const isVersion = (value: unknown): value is Version =>
  typeof value === 'object' && value !== null && 'version' in value && 'updated_by' in value;
