// The file beside a data file with its indexes: a head with the offsets, and a filter per column and row group.
// Bytes: magic (8) · length of the head (4) · CRC-32 of the head (4) · head as JSON · sections. Numbers little-endian.
import { crc32 } from 'node:zlib'
import { blockBytes } from './bloom.ts'
import type { CountsHead } from './count-file.ts'

/** The index sidecar of a data file. */
export function indexPath(dataFile: string): string {
  return `${dataFile}.idx`
}

/** Values: which ones there are. Terms: which tokens, of the text as it is or in lower case. */
export type SectionKind = 'values' | 'terms' | 'folded_terms'

export interface Section {
  /** Id of the column in its table. */
  readonly column: number
  readonly kind: SectionKind
  /** As the index asks for it: of terms for each row group, of values for the whole file (for each row group in older index sidecars). */
  readonly falsePositiveRate: number
  /** Bytes after the head. */
  readonly offset: number
  readonly checksum: number
  /** Blocks of each row group's filter, one after the other; -1 where there is none because it would be too large to make. */
  readonly blocks: readonly number[]
}

export interface IndexHead {
  /** Those of format 1, with other hashes of values, are made anew. */
  readonly format: 2
  /** CRC-32 and bytes of the data file it belongs to. */
  readonly data: { readonly checksum: number; readonly bytes: number }
  readonly sections: readonly Section[]
  /** Describes the file of counts beside it; absent if none was asked for. */
  readonly counts?: CountsHead
  /** Row group by row group; absent where none was asked for. */
  readonly groups?: readonly GroupRows[]
}

/** Rows of a row group, and the time of the earliest, in the unit of the time index. */
export interface GroupRows {
  readonly rows: number
  readonly from: string
}

/** The head without the sections. */
export type HeadNotes = Pick<IndexHead, 'counts' | 'groups'>

const magic = 'WEIRIDX1'
const fixedBytes = 16
/** Heads are read with the first read of this many bytes where they fit. */
export const firstRead = 64 * 1024

/** A column's filters as they go into a file. */
export type NewSection = Omit<Section, 'offset' | 'checksum' | 'blocks'> & {
  /** Per row group; undefined where there is none. */
  readonly filters: readonly (Uint32Array | undefined)[]
}

export function encodeIndex(
  data: IndexHead['data'],
  columns: readonly NewSection[],
  notes: HeadNotes = {}
): Uint8Array[] {
  const parts: Uint8Array[] = []
  let offset = 0
  const sections = columns.map(({ filters, ...about }): Section => {
    const start = offset
    let checksum = 0
    const blocks = filters.map(words => {
      if (words === undefined) return -1
      const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength)
      checksum = crc32(bytes, checksum)
      parts.push(bytes)
      offset += bytes.length
      return bytes.length / blockBytes
    })
    return { ...about, offset: start, checksum, blocks }
  })
  const head = Buffer.from(JSON.stringify({ format: 2, data, sections, ...notes } satisfies IndexHead))
  const fixed = Buffer.alloc(fixedBytes)
  fixed.write(magic, 'latin1')
  fixed.writeUInt32LE(head.length, 8)
  fixed.writeUInt32LE(crc32(head), 12)
  return [fixed, head, ...parts]
}

/** Bytes from the start of the file to the first section; undefined when it is no such file. */
export function headEnd(start: Uint8Array): number | undefined {
  if (start.length < fixedBytes) return undefined
  const view = Buffer.from(start.buffer, start.byteOffset, start.length)
  return view.toString('latin1', 0, 8) === magic ? fixedBytes + view.readUInt32LE(8) : undefined
}

/** The head, from a buffer that holds all of it; undefined when it is damaged or of another format. */
export function decodeHead(start: Uint8Array): IndexHead | undefined {
  const end = headEnd(start)
  if (end === undefined || start.length < end) return undefined
  const text = Buffer.from(start.buffer, start.byteOffset + fixedBytes, end - fixedBytes)
  const sum = Buffer.from(start.buffer, start.byteOffset, fixedBytes).readUInt32LE(12)
  if (crc32(text) !== sum) return undefined
  const head = JSON.parse(text.toString()) as IndexHead
  return head.format === 2 ? head : undefined
}

/** Bytes of a section. */
export function sectionBytes({ blocks }: Section): number {
  return blocks.reduce((sum, count) => sum + Math.max(count, 0), 0) * blockBytes
}

/** Whether the bytes of a section are those that were written. */
export function isSound(section: Section, bytes: Uint8Array): boolean {
  return crc32(bytes) === section.checksum
}
