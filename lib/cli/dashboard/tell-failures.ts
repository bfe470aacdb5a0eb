import type { DashboardData } from '../../dashboards/data.ts';
import type { Session } from '../client/client-command.ts';

/** Reports failed cards on stderr. Returns the exit code. */
export function tellFailures({ terminal }: Session, { cards }: DashboardData): number {
  const failed = Object.entries(cards).flatMap(([id, card]) => (card.state === 'error' ? [{ id, ...card }] : []));
  for (const { id, message, hint } of failed) {
    terminal.say(`wl: card ${id}: ${message}${hint === null ? '' : `\n  ${hint}`}`);
  }
  return failed.length === 0 ? 0 : 1;
}
