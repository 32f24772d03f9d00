// The part of the public API that reads bytes: it loads in milliseconds, so that code in a thread of its own imports it instead of `core/index.ts`.
export type { ErrorCode, ErrorOptions, PlainError } from '../errors.ts'
export { DbError, fromPlainError, isDbError, toPlainError } from '../errors.ts'
export type { SeriesKeys } from '../model/series.ts'
export { hashKeys, hashWords, KeyHash, seriesSeed } from '../model/series-hash.ts'
export { inflate, inflateSync } from './inflate.ts'
export { ProtoReader, ProtoWriter, wireType } from './protobuf.ts'
export {
  decodeSnappy,
  decodeSnappySteps,
  encodeSnappy,
  encodeSnappySteps,
  snappyLength,
  snappySlack
} from './snappy.ts'
