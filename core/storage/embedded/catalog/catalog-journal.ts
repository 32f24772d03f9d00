// SQLite's own log beside the catalog: SQLite takes everything from a damaged page on for unwritten, and forgets it without a word.
import { existsSync, readFileSync } from 'node:fs'

const headerBytes = 32
const frameHeaderBytes = 24

interface JournalDamage {
  readonly offset: number
  readonly reason: string
}

/**
 * Undefined when the log at `path` is whole, missing, or torn as a power cut tears it: then at most one transaction, the last, is incomplete.
 * Format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
 */
export function journalDamage(path: string): JournalDamage | undefined {
  if (!existsSync(path)) return undefined
  const bytes = readFileSync(path)
  if (bytes.length < headerBytes + frameHeaderBytes) return undefined
  const header = bytes.subarray(0, headerBytes)
  const little = header.readUInt32BE(0) === 0x377f0682
  const pageSize = header.readUInt32BE(8) === 1 ? 65_536 : header.readUInt32BE(8)
  let sum = add(header.subarray(0, 24), [0, 0], little)
  if (!fits(header, 24, sum))
    return { offset: 0, reason: 'the header of the log of the catalog does not match its checksum' }
  const salts = header.subarray(16, 24)
  for (let at = headerBytes; at + frameHeaderBytes + pageSize <= bytes.length; at += frameHeaderBytes + pageSize) {
    // Frames of an earlier round may follow: they carry other salts.
    if (!bytes.subarray(at + 8, at + 16).equals(salts)) return undamagedRest(bytes, at, pageSize, salts)
    sum = add(bytes.subarray(at, at + 8), sum, little)
    sum = add(bytes.subarray(at + frameHeaderBytes, at + frameHeaderBytes + pageSize), sum, little)
    if (!fits(bytes, at + 16, sum)) return undamagedRest(bytes, at, pageSize, salts)
  }
  return undefined
}

/** Numbers of the pages that the log at `path` holds; none where there is no log. */
export function journalPages(path: string): Set<number> {
  const pages = new Set<number>()
  if (!existsSync(path)) return pages
  const bytes = readFileSync(path)
  if (bytes.length < headerBytes) return pages
  const pageSize = bytes.readUInt32BE(8) === 1 ? 65_536 : bytes.readUInt32BE(8)
  const salts = bytes.subarray(16, 24)
  for (let at = headerBytes; at + frameHeaderBytes + pageSize <= bytes.length; at += frameHeaderBytes + pageSize) {
    if (!bytes.subarray(at + 8, at + 16).equals(salts)) break
    pages.add(bytes.readUInt32BE(at))
  }
  return pages
}

/** Transactions that were finished behind a frame which is not whole: they were durable, so the frame was, too. */
function undamagedRest(bytes: Buffer, from: number, pageSize: number, salts: Uint8Array): JournalDamage | undefined {
  let commits = 0
  for (let at = from; at + frameHeaderBytes <= bytes.length; at += frameHeaderBytes + pageSize) {
    if (bytes.subarray(at + 8, at + 16).equals(salts) && bytes.readUInt32BE(at + 4) !== 0) commits++
  }
  if (commits < 2) return undefined
  return {
    offset: from,
    reason: 'a page in the log of the catalog does not match its checksum, and later transactions follow'
  }
}

type Sum = readonly [number, number]

function add(bytes: Buffer, [first, second]: Sum, little: boolean): Sum {
  let a = first
  let b = second
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)) + b) >>> 0
    b = (b + (little ? bytes.readUInt32LE(at + 4) : bytes.readUInt32BE(at + 4)) + a) >>> 0
  }
  return [a, b]
}

function fits(bytes: Buffer, at: number, [first, second]: Sum): boolean {
  return bytes.readUInt32BE(at) === first && bytes.readUInt32BE(at + 4) === second
}
