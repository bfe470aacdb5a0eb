/** The letters that a host sends: invitations, login links, and how much of a month's limit is used. */
import type { Config } from '../../base/config/config.ts';
import type { Log } from '../../base/log.ts';
import { checkEmail } from '../../control/accounts/email.ts';
import type { ControlDatabase } from '../../control/database.ts';
import type { Organization, Project, Role } from '../../control/types.ts';
import type { MonthUse } from '../../control/usage/allowance.ts';
import { localPath } from '../auth/local-path.ts';
import { RateWindows } from '../limits/rate-limit.ts';
import type { Letter } from './letter.ts';
import type { LetterTry, Mailer } from './mailer.ts';

/** Invitations that an organization may mail in a day: they go to strangers, in the host's name. */
const INVITATIONS_A_DAY = 100;
/** Login links that an address gets in ten minutes, whoever asks. */
const LINKS = 3;
/** Letters of alerts and reports that an organization may send in a day, to its members. */
const ALERTS_A_DAY = 2_000;
/** Organizations or addresses that are counted at once. */
const MANY = 10_000;

interface Parts {
  readonly mailer: Mailer;
  readonly config: Pick<Config, 'operator'>;
  readonly control: Pick<ControlDatabase, 'accounts' | 'logins' | 'members' | 'operator' | 'organizations'>;
  readonly publicUrl: () => string;
  readonly log: Log;
}

export interface NearLimit {
  readonly use: MonthUse;
  readonly percent: number;
  readonly project: Pick<Project, 'id' | 'orgId' | 'name'>;
  /** When the month ends. ISO 8601. */
  readonly resetsAt: string;
}

export class Mail {
  readonly #parts: Parts;
  readonly #invitations = new RateWindows({ limit: INVITATIONS_A_DAY, back: INVITATIONS_A_DAY / 1_440, many: MANY });
  readonly #links = new RateWindows({ limit: LINKS, back: LINKS / 10, many: MANY });
  readonly #alerts = new RateWindows({ limit: ALERTS_A_DAY, back: ALERTS_A_DAY / 1_440, many: MANY });
  readonly #told = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get counts(): Mailer['counts'] {
    return this.#parts.mailer.counts;
  }

  /** False: it is not sent, since the organization has sent too many today. */
  invite({ id, name }: Pick<Organization, 'id' | 'name'>, email: string, role: Role): boolean {
    if (!this.#invitations.hasRoom(id) || this.#invitations.left(id) < 1) return false;
    this.#invitations.add(id, 1);
    this.#send(email, 'invitation', {
      subject: `You are invited to “${name}” on ${this.#host}`,
      paragraphs: [
        `Somebody of the organization “${name}” has invited you to join it on Windlass, product analytics, with the role ${role}.`,
        'Log in with this address to accept. If you expected no invitation, do nothing: nobody learns whether you read this.',
      ],
      link: { label: 'Log in', href: this.#url('/login') },
    });
    return true;
  }

  /** Mails a link to an address that has an account or an invitation, and to no other; whoever asks cannot tell which it was. */
  async loginLink(given: string): Promise<void> {
    const { control } = this.#parts;
    const email = checkEmail(given);
    if (!this.#links.hasRoom(email) || this.#links.left(email) < 1) return;
    this.#links.add(email, 1);
    const isKnown = (await control.accounts.ofEmail(email)) !== null;
    if (!isKnown && (await control.members.invitations(email)).length === 0) return;
    const { token } = await control.logins.createLink(email);
    this.#send(email, 'login link', {
      subject: `Your login link for ${this.#host}`,
      paragraphs: [
        'This link logs you in once, within ten minutes.',
        'If you did not ask for it, do nothing: without this mail nobody can use it.',
      ],
      link: { label: 'Log in', href: `${this.#url('/auth/link')}?token=${token}` },
    });
  }

  /** Tells the admins and owners once of each share of a limit in each month. Costs almost nothing when that is done. */
  limitUsed(near: NearLimit): void {
    const { use, percent, project, resetsAt } = near;
    const key = `mail ${percent} ${use.of === 'project' ? project.id : project.orgId} ${resetsAt}`;
    if (this.#told.has(key)) return;
    if (this.#told.size >= MANY) this.#told.clear();
    this.#told.add(key);
    this.#tellAdmins(near, key).catch((error: unknown) => {
      this.#told.delete(key);
      this.#parts.log.error({ err: error }, 'mail about a limit could not be prepared; it will be tried again');
    });
  }

  /** Tries once to send a letter of an alert of an organization, unless `signal` is aborted before it is its turn. */
  async alert(orgId: string, to: string, letter: Omit<Letter, 'foot'>, signal: AbortSignal): Promise<LetterTry> {
    if (!this.#alerts.hasRoom(orgId) || this.#alerts.left(orgId) < 1)
      return { delivered: false, answer: 'the organization sends too many today', isForAll: true };
    this.#alerts.add(orgId, 1);
    return this.#parts.mailer.trySend(to, { ...letter, foot: this.#foot }, signal);
  } // prettier-ignore

  async #tellAdmins({ use, percent, project, resetsAt }: NearLimit, key: string): Promise<void> {
    const { control } = this.#parts;
    if (!(await control.operator.webhooks.noteOnce(key))) return;
    const { name } = await control.organizations.get(project.orgId);
    const what = use.of === 'project' ? `the project “${project.name}” of “${name}”` : `“${name}”`;
    const isAll = percent >= 100;
    const letter = {
      subject: `${isAll ? 'All' : `${percent} percent`} of this month's events are used: ${use.of === 'project' ? project.name : name}`,
      paragraphs: [
        `${isAll ? 'All' : `More than ${percent} percent`} of the ${use.limit.toLocaleString('en')} events that ${what} may store in a month are used.`,
        `${isAll ? 'Further events are refused' : 'At the limit, further events are refused'} until ${resetsAt.slice(0, 10)}, 00:00 UTC, unless the limit is raised.`,
      ],
      link: { label: 'Look at the usage', href: this.#url(`/console/orgs/${project.orgId}/usage`) },
    };
    const members = await control.members.list(project.orgId);
    const admins = members.filter(({ role, status }) => status === 'active' && (role === 'admin' || role === 'owner'));
    for (const { email } of admins) if (email.includes('@')) this.#send(email, 'limit', letter);
  }

  #send(to: string, what: string, letter: Omit<Letter, 'foot'>): void {
    this.#parts.mailer.send(to, what, { ...letter, foot: this.#foot });
  }

  get #foot(): string {
    const { operator } = this.#parts.config;
    return `Sent by ${this.#url('')}${operator === null ? '' : `, run by ${operator}`}.`;
  }

  get #host(): string {
    return new URL(this.#parts.publicUrl()).host;
  }

  #url(path: string): string {
    return new URL(localPath(this.#parts.publicUrl(), path), this.#parts.publicUrl()).href;
  }
}
