/** Profiles last seen in the range, and metrics over them. */
import { type Cell, type Field, isRowList, type ProfileField, readJson, type UsersPlan } from '../../../../lib/seam.ts';
import { groupedQuestion, keyColumn, metricsOf, readColumns, type Question } from '../sql/groups.ts';
import type { ColumnSql } from '../sql/metrics.ts';
import { ProfileRows } from '../sql/rows.ts';
import { listedColumns } from '../sql/listed.ts';
import { join, sql, type Sql, type Tenant, numberCell, textCell, type Cells } from '../sql/statement.ts';

export function usersQuestion(project: Tenant, plan: UsersPlan): Question {
  const rows = new ProfileRows(project, plan);
  if (!isRowList(plan)) return groupedQuestion(rows, plan, metricsOf(plan.metrics, rows));
  if (plan.fields !== undefined) {
    const chosen = listedColumns(plan, plan.fields, rows);
    const order = sql`ORDER BY ${rows.value(account('last_seen')).group.key} DESC, ${rows.value(account('user_id')).group.key}`;
    return { sql: sql`SELECT ${selected(chosen)} ${rows.from()} ${order}`, readRows: readColumns(chosen) };
  }
  const text = (name: ProfileField): ColumnSql => keyColumn(rows.value(account(name)).group, rows.zone);
  const time = (name: ProfileField): ColumnSql => ({
    columns: [rows.value(account(name)).group.key],
    read: ([cell]) => numberCell(cell),
  });
  const columns = [
    ...[text('user_id'), text('email'), text('email_domain')],
    ...[time('first_seen'), time('last_seen')],
    { columns: [rows.properties], read: propertiesWithoutMail },
  ];
  return {
    sql: sql`SELECT ${selected(columns)} ${rows.from()}`,
    readRows: readColumns(columns),
  };
}

const selected = (columns: readonly ColumnSql[]): Sql => join(columns.flatMap((column) => column.columns), ', '); // prettier-ignore

const account = (name: ProfileField): Field => ({ kind: 'account', name });

/** Columns of their own. */
const MAIL: readonly string[] = ['email', 'email_domain'];

function propertiesWithoutMail([json]: Cells): Cell {
  const parsed: unknown = json === '' ? {} : readJson(textCell(json));
  const all = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : [];
  return Object.fromEntries(all.filter(([key]) => !MAIL.includes(key)));
}
