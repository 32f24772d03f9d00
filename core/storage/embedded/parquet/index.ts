// A Parquet codec: reads and writes files synchronously, from and into the columns of `core/model`.
export { type ParquetType, parquetDecimal, parquetTypes } from './column-type.ts'
export { sliceBits } from './dense.ts'
export { readFooter } from './metadata.ts'
export { type IntegerRuns, ParquetReader } from './reader.ts'
export {
  type Bound,
  type ChunkInfo,
  type Extent,
  type LogicalType,
  type PageInfo,
  type ParquetColumn,
  ParquetError,
  type ParquetFooter,
  type PhysicalType,
  type ReadAt,
  type RowGroupInfo,
  type WriterOptions
} from './types.ts'
export { ParquetWriter } from './writer.ts'
