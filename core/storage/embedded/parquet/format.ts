// Constants of the Parquet format.

export const magic = 0x31524150

export const Physical = { boolean: 0, int32: 1, int64: 2, int96: 3, float: 4, double: 5, bytes: 6, fixed: 7 } as const

export const Encoding = {
  plain: 0,
  plainDictionary: 2,
  rle: 3,
  deltaBinaryPacked: 5,
  deltaLengthByteArray: 6,
  deltaByteArray: 7,
  rleDictionary: 8,
  byteStreamSplit: 9
} as const

export const Codec = { none: 0, snappy: 1, gzip: 2, zstd: 6 } as const

export const Page = { data: 0, index: 1, dictionary: 2, dataV2: 3 } as const

/** Maximum rows of a row group; bounds what a damaged file can make a reader allocate. */
export const maxGroupRows = 2 ** 26

/** Maximum uncompressed bytes of a page. */
export const maxPageBytes = 2 ** 30

/** Zero bytes required behind packed integers, because whole words are read. */
export const slack = 16
