/** docs/configuration.md, made of the table of settings. */
import type { SettingDescription } from '../lib/config.ts';

const HEAD = `# Configuration

<!-- Written from the table in lib/config.ts by scripts/write-configuration.ts; a test compares the two. -->

Every setting is an environment variable, or an option of \`wl serve\` (\`WINDLASS_QUERY_TIMEOUT\` is \`--query-timeout\`; secrets have no
option, command lines can be seen). The option wins over the variable. With \`_FILE\` after its name a variable names a file that
holds the value, as container secrets do: \`WINDLASS_SECRET_FILE=/run/secrets/windlass\`.

- Durations are \`<n>ms\`, \`<n>s\`, \`<n>m\` or \`<n>h\`; sizes a number with \`KiB\`, \`MiB\`, \`GiB\`, \`KB\`, \`MB\`, \`GB\` or nothing for bytes.
- A wrong value stops the start; the message names the setting. A \`WINDLASS_\` variable that is no setting is warned of in the log.

<!-- prettier-ignore-start -->

| setting | default | must be | meaning |
|---|---|---|---|
`;

/** The page as it must be. */
export function settingsPage(settings: readonly SettingDescription[]): string {
  const rows = settings.map(
    ({ name, initial, expects, help }) => `| \`${name}\` | ${cell(initial)} | ${cell(expects)} | ${cell(help)} |`,
  );
  return `${HEAD}${rows.join('\n')}\n\n<!-- prettier-ignore-end -->\n`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
