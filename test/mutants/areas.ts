/** What is changed to see whether tests notice, and which tests should. Paths are below dist/. */

export interface Area {
  readonly name: string;
  readonly files: readonly string[];
  /** In this order, until one fails: the quickest that know most come first. */
  readonly tests: readonly Tests[];
}

export interface Tests {
  readonly specs: readonly string[];
  readonly grep?: string;
}

const golden: Tests = {
  specs: ['test/golden.test.js'],
  grep: 'every threshold at its least golden files, answered by the kernels',
};
const errors: Tests = { specs: ['test/golden.test.js'], grep: 'answered by the oracle' };
const kernels: Tests = { specs: ['test/properties/kernels.test.js'] };

export const AREAS: readonly Area[] = [
  {
    name: 'parse',
    files: ['lib/dsl/{lex,parse}*.js', 'lib/dsl/{token-stream,stages,nearest,keywords}.js'],
    tests: [{ specs: ['test/dsl/**/*.test.js'] }, errors],
  },
  {
    name: 'bind',
    files: ['lib/dsl/bind*.js', 'lib/dsl/{conditions,columns,unknown-field,suggest,notes}.js', 'lib/dsl/optimize/*.js'],
    tests: [{ specs: ['test/dsl/**/*.test.js'] }, errors, golden],
  },
  {
    name: 'finish',
    files: [
      'lib/dsl/{value,order,fill-rows,finish,select-rows,evaluate-formula,instant}.js',
      'lib/dsl/{time,format}/*.js',
    ],
    tests: [{ specs: ['test/dsl/**/*.test.js'] }, golden, kernels],
  },
  {
    name: 'dashboards',
    files: ['lib/dashboards/*.js', 'lib/cli/dashboard/*.js', 'lib/control/dashboards.js'],
    tests: [
      {
        specs: [
          'test/dashboards/*.test.js',
          'test/cli/{view-server,dashboard}.test.js',
          'test/router/dashboards.test.js',
        ],
      },
    ],
  },
  {
    name: 'buckets',
    files: ['lib/buckets/*.js', 'lib/backup/bucket-*.js', 'lib/backup/source.js', 'lib/erasures/bucket-log.js'],
    tests: [
      { specs: ['test/buckets/bucket.test.js'] },
      { specs: ['test/erasures/targets.test.js'], grep: 'bucket' },
      { specs: ['test/cli/backup-bucket.test.js'] },
    ],
  },
  {
    name: 'kernels',
    files: ['lib/workers/kernels/*.js'],
    tests: [
      golden,
      { specs: ['test/workers/{choice,courses,funnel-attempts,paths,sessions}.test.js'] },
      { specs: ['test/workers/memory.test.js'], grep: 'for every key' },
      kernels,
    ],
  },
  {
    name: 'metrics',
    files: ['lib/workers/metrics/*.js', 'lib/workers/groups/*.js', 'lib/workers/where/*.js'],
    tests: [golden, { specs: ['test/workers/{blocks,percentile,slots,pair-ids,seconds}.test.js'] }, kernels],
  },
  {
    name: 'identity',
    files: ['lib/shards/bindings.js', 'lib/workers/persons/*.js'],
    tests: [
      { specs: ['test/shards/{bindings,identity}.test.js', 'test/workers/{first-starts,persons,courses}.test.js'] },
      golden,
      kernels,
    ],
  },
  {
    name: 'deduplication',
    files: [
      'lib/shards/{fuse-filter,hex-digits,insert-key,key-runs,sealed-ids,sorted-keys,uuid}.js',
      'lib/shards/segment/{id-lookup,insert-filter,insert-ids}.js',
    ],
    tests: [
      { specs: ['test/shards/{fuse-filter,insert-key,insert-ids,key-runs,sealed-ids}.test.js'] },
      { specs: ['test/shards/writer.test.js', 'test/properties/shards.test.js'] },
      golden,
    ],
  },
  {
    name: 'rights',
    files: [
      'lib/control/{accounts,members,keys,tokens,scopes,credentials,organizations,sessions,login-links,allowance}.js',
      'lib/router/{roles,guard,credentials,endpoint}.js',
      'lib/router/api/*door.js',
    ],
    tests: [
      { specs: ['test/control/**/*.test.js'] },
      {
        specs: [
          'test/router/api/**/*.test.js',
          'test/router/{credentials,errors,sessions,organization-limits,health}.test.js',
        ],
      },
      { specs: ['test/router/auth/**/*.test.js'] },
    ],
  },
  {
    name: 'webhooks',
    files: ['lib/webhooks/*.js', 'lib/control/webhook-messages.js'],
    tests: [{ specs: ['test/webhooks/*.test.js'] }],
  },
];
