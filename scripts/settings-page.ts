/** docs/configuration.md, generated from the table of settings and from that of login providers. */
import type { ProviderSettingDescription } from '../lib/base/config/auth-providers.ts';
import type { SettingDescription } from '../lib/base/config/config.ts';

const HEAD = `# Configuration

<!-- Written from the tables in lib/base/config/config.ts and lib/base/config/auth-providers.ts by scripts/write-configuration.ts; a test compares the two. -->

Every setting is an environment variable, or an option of \`wl serve\` (\`WINDLASS_QUERY_TIMEOUT\` is \`--query-timeout\`; secrets have no
option, because other accounts can see command lines). The option wins over the variable. With \`_FILE\` after its name a variable names a file that
holds the value, as container secrets do: \`WINDLASS_SECRET_FILE=/run/secrets/windlass\`.

- Durations are \`<n>ms\`, \`<n>s\`, \`<n>m\` or \`<n>h\`; sizes a number with \`KiB\`, \`MiB\`, \`GiB\`, \`KB\`, \`MB\`, \`GB\` or nothing for bytes.
- A wrong value stops the start; the message names the setting. An unknown \`WINDLASS_\` variable is reported in the log.

<!-- prettier-ignore-start -->

`;

const PROVIDERS = `
## Login providers

\`<NAME>\` is any name of capital letters, digits and \`_\`; in lower case it is the path, so \`WINDLASS_AUTH_GOOGLE_ISSUER\` makes
\`/auth/google\`. \`GITHUB\` is GitHub, which has no issuer. These settings also take \`_FILE\`, and have no option. An incomplete
provider stops the start. [operations.md](operations.md#login-with-a-provider) says what to register with the provider.

`;

interface Row {
  readonly name: string;
  readonly initial: string;
  readonly expects: string;
  readonly help: string;
}

/** The page as it should be. */
export function settingsPage(
  settings: readonly SettingDescription[],
  ofProviders: readonly ProviderSettingDescription[],
): string {
  return `${HEAD}${table(settings)}${PROVIDERS}${table(ofProviders)}\n<!-- prettier-ignore-end -->\n`;
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ name, initial, expects, help }) => `| \`${name}\` | ${cell(initial)} | ${cell(expects)} | ${cell(help)} |\n`,
  );
  return `| setting | default | must be | meaning |\n|---|---|---|---|\n${lines.join('')}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
