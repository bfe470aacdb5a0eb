/** What is mutated to see whether tests notice, and which tests should. Paths are below dist/. */

export interface Area {
  readonly name: string;
  readonly files: readonly string[];
  /** Run in this order until one fails: the fastest that cover most come first. */
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
    files: [
      'lib/dsl/parse/{lex-string,lex,parse-condition,parse-formula,parse-name,parse-range,parse-source,parse-stage,parse}.js',
      'lib/dsl/bind/stages.js',
      'lib/dsl/parse/{keywords,nearest,token-stream}.js',
    ],
    tests: [{ specs: ['test/dsl/**/*.test.js'] }, errors],
  },
  {
    name: 'bind',
    files: [
      'lib/dsl/bind/{bind-base,bind-choice,bind-condition,bind-events,bind-formula,bind-funnel,bind-groups,bind-metrics,bind-order,bind-paths,bind-range,bind-sessions,bind-users,bind,binding}.js',
      'lib/dsl/bind/unknown-field.js',
      'lib/dsl/hints/{notes,suggest}.js',
      'lib/dsl/plan/{columns,conditions}.js',
      'lib/dsl/optimize/*.js',
    ],
    tests: [{ specs: ['test/dsl/**/*.test.js'] }, errors, golden],
  },
  {
    name: 'finish',
    files: [
      'lib/dsl/finish/{fill-rows,finish,order,select-rows}.js',
      'lib/dsl/plan/{evaluate-formula,value}.js',
      'lib/dsl/time/instant.js',
      'lib/dsl/{time,format}/*.js',
    ],
    tests: [{ specs: ['test/dsl/**/*.test.js'] }, golden, kernels],
  },
  {
    name: 'dashboards',
    files: ['lib/dashboards/*.js', 'lib/cli/dashboard/*.js', 'lib/control/projects/dashboards.js'],
    tests: [
      {
        specs: [
          'test/dashboards/*.test.js',
          'test/cli/dashboard/*.test.js',
          'test/router/dashboards/dashboards.test.js',
        ],
      },
    ],
  },
  {
    name: 'buckets',
    files: [
      'lib/buckets/*.js',
      'lib/backup/destination.js',
      'lib/backup/series.js',
      'lib/backup/source.js',
      'lib/erasures/bucket-log.js',
    ],
    tests: [
      { specs: ['test/buckets/bucket.test.js'] },
      { specs: ['test/erasures/targets.test.js'], grep: 'bucket' },
      { specs: ['test/cli/admin/copies/backup-bucket.test.js'] },
    ],
  },
  {
    name: 'kernels',
    files: [
      'lib/workers/kernels/choice/*.js',
      'lib/workers/kernels/fields/*.js',
      'lib/workers/kernels/funnel/*.js',
      'lib/workers/kernels/list/*.js',
      'lib/workers/kernels/paths/*.js',
      'lib/workers/kernels/presence/*.js',
      'lib/workers/kernels/retention/*.js',
      'lib/workers/kernels/{aggregate,contract,formula,group-rows,registry,sessions,users}.js',
    ],
    tests: [
      golden,
      { specs: ['test/workers/kernels/**/*.test.js', 'test/workers/persons/timelines.test.js'] },
      { specs: ['test/workers/memory.test.js'], grep: 'for every key' },
      kernels,
    ],
  },
  {
    name: 'metrics',
    files: [
      'lib/workers/metrics/unique/*.js',
      'lib/workers/metrics/{count,exact-terms,extreme,merge-groups,merge-metrics,metric-partial,metric-state,mode,moments,numbers,numeric,percentile,registry,state-array,sum,wide-sums}.js',
      'lib/workers/groups/{axis,field-ids,pair-ids,positions,scan,select,slots}.js',
      'lib/workers/kernels/aggregation.js',
      'lib/workers/where/*.js',
    ],
    tests: [
      golden,
      {
        specs: [
          'test/workers/groups/{blocks,pair-ids,seconds,slots}.test.js',
          'test/workers/metrics/percentile.test.js',
          'test/workers/metrics/sum.test.js',
        ],
      },
      kernels,
    ],
  },
  {
    name: 'identity',
    files: ['lib/shards/file/bindings.js', 'lib/workers/persons/*.js'],
    tests: [
      {
        specs: [
          'test/shards/file/bindings.test.js',
          'test/shards/writer/identity.test.js',
          'test/workers/persons/{first-starts,persons,timelines}.test.js',
        ],
      },
      golden,
      kernels,
    ],
  },
  {
    name: 'deduplication',
    files: [
      'lib/shards/hashing/{fuse-filter,sorted-keys,uuid}.js',
      'lib/shards/ingest/sealed-ids.js',
      'lib/shards/segment/insert-ids/{insert-key,key-runs}.js',
      'lib/shards/segment/insert-ids/{insert-filter,insert-ids,segment-ids}.js',
    ],
    tests: [
      {
        specs: [
          'test/shards/segment/insert-ids/*.test.js',
          'test/shards/hashing/fuse-filter.test.js',
          'test/shards/ingest/sealed-ids.test.js',
        ],
      },
      { specs: ['test/shards/writer/writer.test.js', 'test/properties/shards.test.js'] },
      golden,
    ],
  },
  {
    name: 'rights',
    files: [
      'lib/control/accounts/{accounts,logins,members,sessions}.js',
      'lib/control/{keys,organizations}.js',
      'lib/control/projects/{credentials,scopes,tokens}.js',
      'lib/control/usage/allowance.js',
      'lib/router/auth/credentials.js',
      'lib/router/{guard,roles}.js',
      'lib/router/route/{add-routes,managed}.js',
      'lib/router/api/doors.js',
    ],
    tests: [
      { specs: ['test/control/**/*.test.js'] },
      {
        specs: [
          'test/router/api/**/*.test.js',
          'test/router/auth/{credentials,sessions}.test.js',
          'test/router/health.test.js',
          'test/router/http/errors.test.js',
          'test/router/limits/organization-limits.test.js',
        ],
      },
      { specs: ['test/router/auth/**/*.test.js'] },
    ],
  },
  {
    name: 'webhooks',
    files: ['lib/webhooks/*.js', 'lib/control/operator/webhook-messages.js'],
    tests: [{ specs: ['test/webhooks/*.test.js'] }],
  },
];
