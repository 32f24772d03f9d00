// What plugin authors import as `weir-server`: the names that are promised, each documented and used in an example. `core/index.ts` has more,
// without a promise, as `weir-server/internals`.

// A plugin, and what it is handed.
export type { Credentials, User } from './auth/provider.ts'
// For embedders: a configuration as the server loads it.
export { loadConfig } from './config/load.ts'
// Options of a plugin.
export { count, duration, flag, size } from './config/schema.ts'
export type { Static } from './config/type.ts'
export { Type } from './config/type.ts'
export type { Core, PluginCore } from './core.ts'
export { internalContext } from './core.ts'
// Errors.
export { DbError, ItemsError, isDbError, ParseError } from './errors.ts'
// Answers and the formats they come in.
export type { Answer, EncodeOptions, RecordsAnswer, ResultFormat } from './format/answer.ts'
export { jsonCells } from './format/json-value.ts'
export { rowsOf } from './format/rows.ts'
// Requests.
export { bodyBytes } from './http/body.ts'
export type { RequestContext } from './http/context.ts'
export { acceptForms } from './http/form.ts'
export type { Parameters } from './http/query.ts'
export { firstValue, parameterOf } from './http/query.ts'
export { sendAnswers } from './http/send-answers.ts'
// Listeners.
export type { Connection, Datagram, GrpcCall, Listener } from './listener/listener.ts'
export { grpcOptions, tcpOptions, udpOptions } from './listener/listener.ts'
// Columns, in both directions.
export type {
  BytesData,
  Column,
  ColumnData,
  DictionaryData,
  FixedData,
  ResultBatch,
  ResultColumn,
  TableWrite
} from './model/batch.ts'
export { columnOf, textColumnOf } from './model/column-data.ts'
// Items of pipelines.
export { ItemBatch } from './model/items.ts'
export { checkJsonValues } from './model/json-count.ts'
export { nameProblem } from './model/name.ts'
// Times.
export { parseTimestamp, parseZone } from './model/time.ts'
export type { ColumnType } from './model/types.ts'
// Work that takes its time.
export type { Steps } from './pace.ts'
export { Pace, runPaced } from './pace.ts'
export type { PluginApp, PluginSpec, ServiceMap, WireError } from './plugin.ts'
export { definePlugin } from './plugin.ts'
export { followTable } from './storage/follow-table.ts'
export type { Store } from './storage/store.ts'
export { pause } from './timer.ts'
// Bytes of Protocol Buffers.
export { ProtoReader, ProtoWriter } from './wire/protobuf.ts'
