/** Entries of the audit trail as sentences: who did it, and what was done to what, with names in place of ids. */
import type { AuditAction, AuditEntry, Changes } from '../../../control/types.ts';
import { type Html, html } from '../html.ts';
import { breakable } from './data-table.ts';
import { projectPagePath } from './paths.ts';

/** Names of existing projects and tokens, by id. */
export type AuditNames = ReadonlyMap<string, string>;

type Told = Pick<AuditEntry, 'actor' | 'action' | 'target' | 'changes'>;

/** The ids in entries, whose names the sentences say. */
export function idsIn(entries: readonly Told[]): readonly string[] {
  return [...new Set(entries.flatMap(({ actor, target }) => [idOf(target), keyOf(actor)?.id ?? '']))];
}

/** Who did it: an address, or the name of the key that was used. */
export function actorText(actor: string, names: AuditNames): Html {
  const key = keyOf(actor);
  if (key === null) return breakable(actor);
  return key.kind === 'token'
    ? html`the token ${nameOf(key.id, names)}`
    : html`the secret key of ${nameOf(key.id, names)}`;
}

/** What was done, as it goes on after who did it: `invited ada@example.com as admin`. */
export function sentenceOf({ action, target, changes }: Told, names: AuditNames): Html {
  const words = SENTENCES[action](partsOf(target, names));
  return html`${words}${changes !== null && changed(changes)}`;
}

/** What a target names. */
interface Parts {
  /** The thing itself, or the address of a member. */
  readonly it: Html;
  /** Whether it is an organization, not one of its projects. */
  readonly isOrg: boolean;
  /** What of it is meant, as the trail has it: `role:admin`, `dashboard:kpi/version:3`. */
  readonly rest: string;
}

const SENTENCES: Readonly<Record<AuditAction, (parts: Parts) => Html>> = {
  login: () => html`logged in`,
  'org.create': () => html`created the organization`,
  'org.update': () => html`changed the organization`,
  'org.suspend': () => html`suspended the organization`,
  'org.resume': () => html`resumed the organization`,
  'org.delete': () => html`deleted the organization`,
  'limits.update': () => html`changed the limits of the organization`,
  'operator_key.create': ({ it }) => html`created the operator key ${it}`,
  'operator_key.revoke': ({ it }) => html`revoked the operator key ${it}`,
  'key.rotate': ({ it, isOrg }) => (isOrg ? html`rotated the admin key` : html`rotated the secret key of ${it}`),
  'token.create': ({ it, rest }) => html`created the token ${it}${rest === 'personal:false' && ', which sees no personal data'}`,
  'token.revoke': ({ it }) => html`revoked the token ${it}`,
  'member.invite': ({ it, rest }) => html`invited ${it} as ${after('role', rest)}`,
  'member.join': ({ rest }) => html`joined as ${after('role', rest)}`,
  'member.decline': () => html`declined the invitation`,
  'member.update': ({ it }) => html`changed the role of ${it}`,
  'member.remove': ({ it }) => html`removed ${it}`,
  'project.create': ({ it }) => html`created the project ${it}`,
  'project.update': ({ it }) => html`changed the project ${it}`,
  'project.delete': ({ it }) => html`deleted the project ${it}`,
  'project.suspend': ({ it }) => html`suspended the project ${it}`,
  'project.resume': ({ it }) => html`resumed the project ${it}`,
  'project.export': ({ it }) => html`exported the project ${it}`,
  'project.import': ({ it, rest }) => html`imported the project ${it}, which was <code>${after('from', rest)}</code>`,
  'project.restore': ({ it }) => html`restored the project ${it}`,
  'user.export': (parts) => html`exported ${person(parts)}`,
  'user.erase': (parts) => html`erased ${person(parts)}`,
  'user.erase_failed': (parts) => html`could not erase ${person(parts)}`,
  'events.delete': ({ it }) => html`deleted events of ${it}`,
  'events.delete_failed': ({ it }) => html`could not delete events of ${it}`,
  'dashboard.write': (parts) => saved(parts),
  'cohort.write': (parts) => saved(parts),
  'alert.write': (parts) => saved(parts),
  'question.write': (parts) => saved(parts),
  'annotation.write': (parts) => saved(parts),
}; // prettier-ignore

/** People appear as a keyed hash, which is the same for the same person of a project. */
function person({ it, rest }: Parts): Html {
  return html`the person <code>${after('user', rest)}</code> of ${it}`;
}

/** Of a dashboard, a cohort, an alert, a saved question or an annotation: `personal-dashboard:kpi/version:3`, `cohort:buyers/deleted`. Names may have slashes. */
function saved({ it, rest }: Parts): Html {
  const [, kind = '', name = '', what = ''] = /^([^:]*):(.*)\/([^/]*)$/s.exec(rest) ?? [];
  const thing = html`the ${kind.replace('-', ' ')} ${quoted(name)} of ${it}`;
  if (what === 'added' || what === 'deleted') return html`${what} ${thing}`;
  return html`saved version ${after('version', what)} of ${thing}`;
}

const quoted = (name: string): string => `“${name}”`;

const after = (label: string, rest: string): string =>
  rest.startsWith(`${label}:`) ? rest.slice(label.length + 1) : rest;

function partsOf(target: string, names: AuditNames): Parts {
  const id = idOf(target);
  return {
    it: id.includes('@') ? html`<strong>${breakable(id)}</strong>` : nameOf(id, names),
    isOrg: id.startsWith('org_'),
    rest: target.slice(id.length + 1),
  };
}

/** A project as a link to it; what is gone, or has no name, as its id. */
function nameOf(id: string, names: AuditNames): Html {
  const name = names.get(id);
  if (name === undefined) return html`<code>${id}</code>`;
  return id.startsWith('prj_')
    ? html`<a href="${projectPagePath(id)}" title="${id}">${name}</a>`
    : html`<strong title="${id}">${name}</strong>`;
}

/** A target is an id, or one with what in it is meant. */
const idOf = (target: string): string => /^[^/]*/.exec(target)![0];

/** Of an actor that is a key of a project. */
function keyOf(actor: string): { readonly kind: string; readonly id: string } | null {
  const [, kind = '', id = ''] = /^(token|secret):([\w-]+)$/.exec(actor) ?? [];
  return id === '' ? null : { kind, id };
}

function changed(changes: Changes): Html {
  return html`<ul class="changes">
    ${Object.entries(changes).map(
      ([name, { from, to }]) => html`<li>${FIELDS.get(name) ?? name.replaceAll('_', ' ')}: ${from ?? 'none'} → ${to ?? 'none'}</li>`,
    )}
  </ul>`;
} // prettier-ignore

/** Fields whose names in the API are not their words. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ['retention_days', 'retention in days'],
  ['ip_policy', 'client IP addresses'],
  ['timezone', 'time zone'],
  ['week_start', 'first day of the week'],
]);
