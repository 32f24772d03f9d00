// The part of the public API that computes and opens nothing: code in a thread of its own imports it instead of `core/index.ts`.
export { closest, didYouMean } from './config/closest.ts'
export { formatDuration, formatSize, parseDuration } from './config/units.ts'
export type { ErrorOptions, ItemError } from './errors.ts'
export {
  DbError,
  errorCodes,
  ItemsError,
  invalidParameter,
  isDbError,
  maxItemErrors,
  ParseError,
  withMessage
} from './errors.ts'
export type { RequestContext } from './http/context.ts'
export type {
  BytesData,
  Column,
  ColumnData,
  DictionaryData,
  FixedData,
  ResultBatch,
  ResultColumn,
  ResultVector,
  RowTags,
  TableWrite
} from './model/batch.ts'
export { bitmap, clearBit, isValid, setBit } from './model/batch.ts'
export { columnOf, textColumnOf } from './model/column-data.ts'
export { isIndexKind, parseColumnIndex } from './model/column-index.ts'
export { copyBytes } from './model/copy-bytes.ts'
export type { DateFormat } from './model/date/format.ts'
export { compileDateFormat } from './model/date/format.ts'
export { isExactFloat, isExactFloat32, readExactFloat, readExactInteger } from './model/exact.ts'
export { booleanColumn, copyTexts, floatColumn, integerColumn, textColumn } from './model/item-column.ts'
export type { CellKind, Item, ItemBatchParts, ItemValue } from './model/items.ts'
export { cell, cellMemory, checkCells, ItemBatch, ItemField, itemState, Timestamp } from './model/items.ts'
export { emptyObject, maxJsonDepth, parseJson, readJson, readNumber, textEnd } from './model/json.ts'
export { checkJsonValues, countJsonValues, tooManyValues } from './model/json-count.ts'
export type { JsonCursor } from './model/json-cursor.ts'
export { jsonCursor, jsonError, skipSpace, unexpected } from './model/json-cursor.ts'
export { unescapeJson, unescapeSteps } from './model/json-escape.ts'
export {
  checkJson,
  eachMember,
  elements,
  isShort,
  members,
  passJson,
  passSteps,
  startsWith,
  textEndSteps
} from './model/json-walk.ts'
export { compareUtf8, writeJson, writeJsonFloat, writeJsonString } from './model/json-write.ts'
export type { Limit } from './model/limit.ts'
export { nameProblem, timeColumn, valueColumn } from './model/name.ts'
export { parseTableOptions } from './model/options.ts'
export type { SeriesLabel, SeriesName, SeriesWrite } from './model/series.ts'
export { joinSeriesKeys } from './model/series.ts'
export { shorten } from './model/shorten.ts'
export { quoteName, quoteText } from './model/sql-text.ts'
export type * from './model/table.ts'
export type { Zone } from './model/time.ts'
export {
  civilFromDays,
  convertTime,
  daysFromCivil,
  daysInMonth,
  formatTimestamp,
  maxDate,
  maxSeconds,
  parseTimestamp,
  parseZone,
  putNanoseconds,
  utc
} from './model/time.ts'
export type { ColumnType, ResultType, TimestampType, TimeUnit } from './model/types.ts'
export {
  decimalText,
  fixedArray,
  integerSize,
  isColumnType,
  isTimestamp,
  sqlTypeName,
  timestampType,
  timeUnit,
  unitsPerSecond
} from './model/types.ts'
export { orderByTime } from './order-by-time.ts'
export type { Steps } from './pace.ts'
export { eachPaced, endsStep, mapPaced, Pace, runAtOnce, runPaced } from './pace.ts'
export { countedLength, defaultPatternLength, RegexBudget } from './regex/budget.ts'
export { requiredText, requiredTexts } from './regex/literal.ts'
export type { LinearRegex, RegexMatch } from './regex/regex.ts'
export { compileRegex } from './regex/regex.ts'
export { parseReplacement } from './regex/replace.ts'
export { checkSteps, compileWhole, listedTexts, wholePattern, wholeTest } from './regex/whole.ts'
export { serialQueue } from './serial.ts'
export { sortPaced } from './sort-paced.ts'
export { readCsvRecord, unquoteCsv } from './wire/csv.ts'
export type { DecodeOptions, KeyMapping } from './wire/item/decode.ts'
export { decodeItems, itemContentTypes, itemSteps } from './wire/item/decode.ts'
export { compressLz4Block } from './wire/lz4.ts'
export { free } from './workers/free.ts'
export { giveWay } from './workers/give-way.ts'
export { importForeign } from './workers/import.ts'
