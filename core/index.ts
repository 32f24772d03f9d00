// The API for plugin authors and embedders: re-exports only. What reads and writes bytes is in `wire/index.ts`; `api.ts` has the names that are
// promised to stay.

export { authorise, authoriseAll } from './auth/permission.ts'
export type { Credentials, User } from './auth/provider.ts'
export type { ComponentStatus } from './component.ts'
export * from './compute.ts'
export { loadConfig } from './config/load.ts'
export { printConfig } from './config/print.ts'
export { count, duration, flag, size } from './config/schema.ts'
export type { Core, PluginCore } from './core.ts'
export { internalContext } from './core.ts'
export type { Answer, EncodeOptions, RecordsAnswer, ResultFormat } from './format/answer.ts'
export { batchBytes, heldBytes, heldRows } from './format/answer.ts'
export { checkCount } from './format/index.ts'
export { jsonCells, jsonWriter } from './format/json-value.ts'
export { rowsOf } from './format/rows.ts'
export { bodyBytes, readBody } from './http/body.ts'
export type { ServerKind } from './http/context.ts'
export {
  anyContent,
  dbParameter,
  noBody,
  plainText,
  resultBodies,
  resultParameters,
  writtenBody
} from './http/documented.ts'
export { answerError } from './http/errors.ts'
export { acceptForms } from './http/form.ts'
export { headerText } from './http/header.ts'
export type { Parameters } from './http/query.ts'
export { firstValue, formOf, parameterOf, parseParameters } from './http/query.ts'
export { sendAnswers } from './http/send-answers.ts'
export { sendJson } from './http/send-json.ts'
export { sendWritten } from './http/send-written.ts'
export { rpcCode } from './listener/grpc-status.ts'
export type { Connection, Datagram, GrpcCall, Listener } from './listener/listener.ts'
export { grpcOptions, tcpOptions, udpOptions } from './listener/listener.ts'
export { parseLevels as parseLogLevels, printLevels as printLogLevels } from './log/levels.ts'
export type { Logger } from './log/log.ts'
export type { Counter, Histogram, MetricSample, Metrics } from './metrics/metrics.ts'
export { type Limit, limitError } from './model/limit.ts'
export type { PluginApp, PluginSpec, ServiceMap, WireError } from './plugin.ts'
export { definePlugin, enabledService, needsPlugin } from './plugin.ts'
export { Pool } from './pool.ts'
export type { Reading } from './search/predicate.ts'
export { partCondition, readingOf, searchCondition, searchSql, termSql } from './search/predicate.ts'
export { parseSearch } from './search/search-query.ts'
export { writeManifest } from './storage/backup-manifest.ts'
export type { Dialect, JsonPath } from './storage/dialect/dialect.ts'
export { duckdbRows, duckdbType, timeTypes as duckdbTimeTypes } from './storage/dialect/duckdb.ts'
export type {
  Backup,
  BackupFile,
  Catalog,
  Condition,
  Engine,
  Follow,
  Maintenance,
  PartRead,
  Query,
  QueryResult,
  Reducer,
  Reduction,
  Relation,
  Report,
  ResolvedWrite,
  ScanQuery,
  SeriesQuery,
  SeriesTags,
  SqlQuery,
  SqlValue,
  TableStatistics,
  TableStep,
  TagMatch
} from './storage/engine.ts'
export { exportFolder } from './storage/export.ts'
export { followTable } from './storage/follow-table.ts'
export { LimitReached } from './storage/limits.ts'
export { lookAgain } from './storage/look-again.ts'
export { createSemaphore } from './storage/semaphore.ts'
export { SqlParameters } from './storage/sql-parameters.ts'
export type { Store } from './storage/store.ts'
export { systemDatabase } from './storage/system.ts'
export { timed } from './storage/timed.ts'
export type { WriteQuota } from './storage/write-quota.ts'
export { after, every, pause, type Timer } from './timer.ts'
export type { Tracing } from './trace/trace.ts'
export { commit, version } from './version.ts'
export { startWorker } from './workers/worker.ts'
