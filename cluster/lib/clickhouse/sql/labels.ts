/** The labels of a row in an answer's groups, as one tuple: a bucket's number, a field's text. */
import { type Cell, groupsOfPeople, PERSON_GROUPS, type Plan } from '../../../../lib/seam.ts';
import { groupSql, type Grouped } from './groups.ts';
import type { Rows } from './rows.ts';
import { arrayCell, join, sql, textOrNull, type Sql } from './statement.ts';

export interface Labels {
  readonly sql: Sql;
  read(cell: unknown): Cell[];
}

/** The same of the rows of people: who a row's person is, then the groups. */
export function personLabels(plan: Plan, rows: Rows): Labels {
  return labelsOf({ ...plan, groups: [...PERSON_GROUPS, ...groupsOfPeople(plan)] }, rows);
}

export function labelsOf(plan: Grouped, rows: Rows): Labels {
  const labels = plan.groups.map((group) => {
    if (group.kind === 'field' && group.bin === undefined)
      return { sql: rows.value(group.field).text, read: textOrNull };
    const { columns, read } = groupSql(group, rows, plan);
    return { sql: columns[0]!, read: (cell: unknown) => read([cell === null ? null : Number(cell)]) };
  });
  return {
    sql: sql`tuple(${join([sql`0`, ...labels.map((label) => label.sql)], ', ')})`, // a tuple has at least one element
    read: (cell) =>
      arrayCell(cell)
        .slice(1)
        .map((label, nth) => labels[nth]!.read(label)),
  };
}
