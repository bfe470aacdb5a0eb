/** Values of variables from the command line: `--var name=value`. */
import type { Dashboard, Values } from '../../dashboards/dashboard.ts';
import { readValues } from '../../dashboards/values.ts';
import { UsageError } from '../command.ts';

export const VAR_OPTION = {
  type: 'string',
  array: true,
  requiresArg: true,
  describe: 'Value of a variable, name=value; repeatable',
} as const;

/** The given values, and the defaults. Throws UsageError for unknown names and values. */
export function givenValues(dashboard: Dashboard, given: readonly string[] = []): Values {
  const pairs = given.map((one) => {
    const at = one.indexOf('=');
    if (at <= 0) throw new UsageError(`--var ${one} is not name=value`);
    return [one.slice(0, at), one.slice(at + 1)] as const;
  });
  const { values, problems } = readValues(dashboard, Object.fromEntries(pairs));
  if (problems.length > 0) throw new UsageError(`--var: ${problems.join('; ')}`);
  return values;
}
