/** Profiles last seen in the range, and metrics over them. */
import type { Field, ProfileField, UsersPlan } from '../../dsl/plan/plan.ts';
import { isRowList } from '../../dsl/plan/columns.ts';
import type { Cell } from '../../dsl/plan/table.ts';
import { groupedQuestion, keyColumn, metricsOf, readColumns, type Question } from '../sql/groups.ts';
import type { ColumnSql } from '../sql/metrics.ts';
import { ProfileRows } from '../sql/rows.ts';
import { join, sql, type Tenant, numberCell, textCell, type Cells } from '../sql/statement.ts';

export function usersQuestion(project: Tenant, plan: UsersPlan): Question {
  const rows = new ProfileRows(project, plan);
  if (!isRowList(plan)) return groupedQuestion(rows, plan, metricsOf(plan.metrics, rows));
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
    sql: sql`SELECT ${join(
      columns.flatMap((column) => column.columns),
      ', ',
    )} ${rows.from()}`,
    readRows: readColumns(columns),
  };
}

const account = (name: ProfileField): Field => ({ kind: 'account', name });

/** Columns of their own. */
const MAIL: readonly string[] = ['email', 'email_domain'];

function propertiesWithoutMail([json]: Cells): Cell {
  const parsed: unknown = json === '' ? {} : JSON.parse(textCell(json));
  const all = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : [];
  return Object.fromEntries(all.filter(([key]) => !MAIL.includes(key)));
}
