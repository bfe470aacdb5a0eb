/**
 * All that the package windlass-cluster (cluster/) takes of lib/: its modules import this one and nothing else. In a bundle the package
 * is a function of it (scripts/bundle.mjs), so that no class exists twice.
 */

// The contracts: what a cluster is, a store of events, an engine of the control database.
export type { Cluster, ClusterStoreOptions } from './cluster.ts';
export type * from './store/event-store.ts';
export type { RanStatement } from './workers/query-result.ts';
export { BulkLines } from './store/bulk-lines.ts';
export { ProjectLimit } from './store/project-limit.ts';
export type { HeldTurn, SharedTurns } from './base/ingest-turn.ts';
export type { Change, Engine, EngineOptions, OpenEngine, Queries } from './control/storage/engine.ts';
export type { ControlConnection } from './control/storage/connection.ts';
export { MIGRATIONS, SCHEMA_VERSION } from './control/storage/migrations.ts';
export type { ControlTables } from './control/storage/tables.ts';
export {
  PostgresDialect,
  PostgresDriver,
  sql,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
} from 'kysely';

// The plan: what a query means, and how its rows become an answer.
export { printedBin } from './dsl/plan/bin.ts';
export * from './dsl/plan/attribution.ts';
export * from './dsl/plan/choice.ts';
export * from './dsl/plan/columns.ts';
export * from './dsl/plan/did.ts';
export * from './dsl/plan/evaluate-formula.ts';
export type * from './dsl/plan/field-names.ts';
export * from './dsl/plan/fields.ts';
export { lastWholeBucket } from './dsl/plan/last-whole-bucket.ts';
export { groupsOfPeople, PERSON_GROUPS, rowOfPerson } from './dsl/plan/people.ts';
export * from './dsl/plan/plan-uses.ts';
export type * from './dsl/plan/formula-node.ts';
export * from './dsl/plan/onward.ts';
export type * from './dsl/plan/plan.ts';
export * from './dsl/plan/session-attribute.ts';
export * from './dsl/plan/session-range.ts';
export * from './dsl/plan/shown-range.ts';
export type * from './dsl/plan/table.ts';
export { touchRange } from './dsl/plan/touch-range.ts';
export * from './dsl/plan/value.ts';
export * from './dsl/time/buckets.ts';
export * from './dsl/time/calendar-parts.ts';
export * from './dsl/time/calendar.ts';
export * from './dsl/time/duration.ts';
export { formatTime } from './dsl/time/format-time.ts';
export { offsetText, writableOffset } from './dsl/time/offset.ts';
export type { Stretch } from './dsl/time/transitions.ts';
export type * from './dsl/time/units.ts';
export { type Rolling, windowsOf } from './dsl/time/windows.ts';
export type { Zone } from './dsl/time/zone.ts';
export { experimentOf, resultRows, type VariantTally } from './dsl/finish/choice-results.ts';
export { behind, withReached } from './dsl/finish/onward.ts';
export { earlierPlan, withEarlier } from './dsl/finish/compare.ts';
export { finishTable, shownTable } from './dsl/finish/finish.ts';
export { creditRows } from './dsl/finish/credit-rows.ts';
export { hide } from './dsl/finish/hide.ts';
export { stepRows } from './dsl/finish/funnel-steps.ts';
export { cohortCells, type PeriodSum } from './dsl/finish/retention-cells.ts';
export { formatPage } from './dsl/format/page.ts';
export { fieldText } from './dsl/hints/name-text.ts';
export { tooManyGroups } from './workers/budget.ts';
export { readRange } from './workers/plan-parts.ts';

// The reading of bodies: bytes to events, identifies and profiles.
export { inflate, type Encoding } from './base/inflate.ts';
export { enrichRequest } from './shards/ingest/enrich/enrich.ts';
export type { EnrichedText } from './shards/event.ts';
export { openLocations, sharedDatabase, type Locations } from './shards/ingest/enrich/geo.ts';
export { HeldProperties, MOST_PROFILES, tooManyProfiles } from './shards/ingest/enrich/profile.ts';
export { referrerFields, urlFields } from './shards/ingest/enrich/url.ts';
export type { IngestOrigin, NormalEvent, NormalIdentify, StoredEvent, PropertyValue } from './shards/event.ts';
export { ID_WINDOW } from './shards/event.ts';
export { Intake, type EventSink, type BodyResult } from './shards/ingest/intake.ts';
export { eventOrigin } from './shards/ingest/normalise/context.ts';
export { profileChangesOf } from './shards/ingest/normalise/event.ts';
export { bindingDate } from './shards/ingest/normalise/identify.ts';
export { MAX_PROFILE_BYTES } from './shards/ingest/normalise/limits.ts';
export { RequestScope } from './shards/ingest/request-scope.ts';
export { storedScanned } from './shards/ingest/rows/row-builder.ts';
export * as scanned from './shards/ingest/scan/scanned-event.ts';
export { answerOf, tooMuchWaiting } from './shards/seal/answers.ts';
export { thrownBy, whole } from './shards/steps.ts';
export type { WriterAnswer, AppendAnswer, AppendMessage, WriterOptions } from './shards/writer-messages.ts';
export type { Erased } from './shards/erase/erase.ts';
export { addCounts, COUNTERS, dateOf, noCounts, type Counts } from './shards/file/usage-counters.ts';
export { usageTotals } from './shards/writer/usage-totals.ts';

// Data folders: what is moved between them and a cluster.
export { forgetErased } from './backup/extract-project.ts';
export { MOVE_FOLDER } from './backup/half-made.ts';
export { workAt } from './backup/place-project.ts';
export { writeProjectFile } from './backup/project-file.ts';
export { ControlDatabase } from './control/database.ts';
export { DataLock } from './control/process/data-lock.ts';
export { movedTo, noteMoved } from './control/process/moved-folder.ts';
export type { ErasedUser } from './control/projects/erased-users.ts';
export type { Actor } from './control/types.ts';
export { ERASURE_LOG, readLog } from './erasures/log-file.ts';
export { deviceBindings, heldBindings, undo } from './shards/file/bindings.ts';
export type { StoredProfile } from './shards/file/profile-table.ts';
export { removeWithLog } from './shards/file/rewrite-shard.ts';
export { shardPath } from './shards/file/shard-file.ts';
export { parseStored } from './shards/file/stored-bytes.ts';
export { allDated } from './shards/ingest/enrich/change-dates.ts';
export { BOT, DEVICE_TYPE } from './dsl/plan/bots.ts';
export type { Segment } from './shards/shard-reader.ts';
export { copyShard } from './shards/upkeep/backup.ts';
export { columnValue } from './shards/upkeep/segment-events.ts';
export { ShardSource } from './shards/upkeep/shard-source.ts';
export { sealJournal } from './shards/upkeep/seal-journal.ts';
export { ShardFiller, type FilledBinding, type FilledProfile } from './shards/upkeep/shard-filler.ts';

// Commands of `wl admin`.
export {
  BY_OPERATOR,
  clickHouseOf,
  controlCommand,
  folderCommand,
  type CommandResult,
} from './cli/admin/admin-command.ts';
export { flag, positional, UsageError } from './cli/command.ts';
export { tableText } from './cli/text.ts';
export { requireData } from './control/process/check.ts';

// Helpers that everything uses.
export { Ledger } from './base/ledger.ts';
export type { ClickHouseLocation } from './base/config/clickhouse-location.ts';
export type { Config } from './base/config/config.ts';
export type { PostgresLocation } from './base/config/postgres-location.ts';
export { ConfigError } from './base/config/setting-source.ts';
export { DAY_MS, HOUR_MS, isoTime, SECOND_MS, utcDay } from './base/day.ts';
export { AppError, codeOf, type ErrorData } from './base/errors.ts';
export { syncPath } from './base/files/sync-path.ts';
export { interpolate } from './base/interpolate.ts';
export { isRecord } from './base/is-record.ts';
export { kept } from './base/kept.ts';
export { Lru } from './base/lru.ts';
export { monotonic } from './base/monotonic.ts';
export { joinedParts } from './base/parts.ts';
export type { IntakeRules, ProjectRef } from './base/project.ts';
export { readJson } from './base/text/read-json.ts';
export { threadFile } from './base/thread-file.ts';
export { threshold } from './base/threshold.ts';
export { unreachable } from './base/unreachable.ts';
