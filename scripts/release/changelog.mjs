// CHANGELOG.md: what is not released yet, and the section of a version.

const UNRELEASED = '## [Unreleased]';

/** The text below the heading of a version, null if there is none. */
export function sectionOf(changelog, version) {
  const lines = changelog.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`## [${version}]`));
  if (start < 0) return null;
  const end = lines.findIndex((line, index) => index > start && line.startsWith('## '));
  return lines.slice(start + 1, end < 0 ? undefined : end).join('\n').trim(); // prettier-ignore
}

/** The changelog with what is not released yet as the section of a version, of a day (`2026-11-29`). Throws if that is nothing. */
export function released(changelog, version, day) {
  if (!sectionOf(changelog, 'Unreleased'))
    throw new Error('CHANGELOG.md has nothing below "Unreleased": what would a reader of this release learn?');
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n\n## [${version}] - ${day}`);
}
