// What was made of what, where: a statement of in-toto with SLSA's provenance. It is not signed: the forge's workflow signs one of
// its own for the same files.
import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';

/**
 * @param made.commit `sha`, and the address of its repository or null.
 * @param made.files `{name, sha256}` each.
 */
export function provenanceOf({ version, commit, begun, ended, files }) {
  const { GITHUB_SERVER_URL: forge, GITHUB_REPOSITORY: path, GITHUB_RUN_ID: runId, GITHUB_WORKFLOW_REF: workflow } = process.env; // prettier-ignore
  const onForge = forge !== undefined && path !== undefined;
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:windlass:npm-run-release-make',
        externalParameters: { version, source: commit.repository, ref: commit.sha },
        resolvedDependencies: [
          { uri: `git+${commit.repository ?? 'file:.'}`, digest: { gitCommit: commit.sha } },
          { name: 'package-lock.json', digest: { sha256: sumOf('package-lock.json') } },
          { name: `node ${process.version} ${process.platform} ${process.arch}` },
        ],
      },
      runDetails: {
        builder: { id: onForge ? `${forge}/${workflow}` : 'urn:windlass:a-checkout' },
        metadata: {
          ...(onForge ? { invocationId: `${forge}/${path}/actions/runs/${runId}` } : {}),
          startedOn: begun.toISOString(),
          finishedOn: ended.toISOString(),
        },
      },
    },
  };
}

function sumOf(file) {
  return createHash('sha256')
    .update(readFileSync(join(ROOT, file)))
    .digest('hex');
}
