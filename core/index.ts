// The public API for plugin authors and embedders: re-exports only.

export { parseCredentials } from './auth/credentials.ts'
export { authorise, authoriseAll, type RouteAction } from './auth/permission.ts'
export type { Credentials, PermissionMode, User, UserProvider } from './auth/provider.ts'
export type { ComponentReport, ComponentState, ComponentStatus } from './component.ts'
export * from './compute.ts'
export type { ConfigProblem } from './config/error.ts'
export { ConfigError } from './config/error.ts'
export type { LoadedConfig, LoadOptions } from './config/load.ts'
export { loadConfig } from './config/load.ts'
export { printConfig } from './config/print.ts'
export type { Config, PluginTable } from './config/schema.ts'
export { count, duration, flag, size } from './config/schema.ts'
export type { Core, PluginCore, PluginInfo } from './core.ts'
export { internalContext, pluginCore } from './core.ts'
export type {
  AffectedAnswer,
  Answer,
  Compression,
  EncodeOptions,
  Epoch,
  RecordsAnswer,
  ResultFormat
} from './format/answer.ts'
export { batchBytes, heldBytes, heldRows, limitAnswer } from './format/answer.ts'
export type { ResultEncoding, ResultFormats } from './format/index.ts'
export { checkCount, encodeAnswers } from './format/index.ts'
export { jsonCells, jsonWriter } from './format/json-value.ts'
export { rowsOf } from './format/rows.ts'
export { bodyBytes, readBody } from './http/body.ts'
export type { ServerKind, TableHints } from './http/context.ts'
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
export type {
  Connection,
  Datagram,
  GrpcCall,
  GrpcListener,
  GrpcOptions,
  Listener,
  ListenerAddress,
  TcpListener,
  TcpOptions,
  UdpListener,
  UdpOptions
} from './listener/listener.ts'
export { grpcOptions, tcpOptions, udpOptions } from './listener/listener.ts'
export type { Levels, LogLevel } from './log/levels.ts'
export { parseLevels as parseLogLevels, printLevels as printLogLevels } from './log/levels.ts'
export type { Logger } from './log/log.ts'
export type { Counter, Gauge, Histogram, MetricSample, Metrics } from './metrics/metrics.ts'
export type { PluginApp, PluginSpec, ServiceMap, ServiceName, Services, WireError } from './plugin.ts'
export { definePlugin } from './plugin.ts'
export type { Reading, WriteConstant } from './search/predicate.ts'
export { partCondition, readingOf, searchCondition, searchSql, termSql } from './search/predicate.ts'
export type { SearchNode } from './search/search-query.ts'
export { parseSearch } from './search/search-query.ts'
export type { SlowQueries, SlowQuery } from './slow-query.ts'
export { writeManifest } from './storage/backup-manifest.ts'
export type { Dialect, JsonPath } from './storage/dialect/dialect.ts'
export { duckdbRows } from './storage/dialect/duckdb.ts'
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
export { type FollowedRows, type FollowOptions, followTable } from './storage/follow-table.ts'
export type { Gate } from './storage/gate.ts'
export { createGate } from './storage/gate.ts'
export type { DatabaseLimits } from './storage/limits.ts'
export { LimitReached } from './storage/limits.ts'
export { lookAgain } from './storage/look-again.ts'
export type { Room, TableRoom } from './storage/room.ts'
export { SqlParameters } from './storage/sql-parameters.ts'
export type { Store, WriteResult } from './storage/store.ts'
export { type SystemTables, systemDatabase } from './storage/system.ts'
export { after, every, pause, type Timer } from './timer.ts'
export type { Span, SpanFacts, SpanOptions, Tracing } from './trace/trace.ts'
export { commit, version } from './version.ts'
export { watchQuery } from './watch-query.ts'
export { startWorker } from './workers/worker.ts'
