// The mark in the log's folder: which catalog the log belongs to, and how far that catalog had come.
import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readFileSync,
  write,
  writeSync
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { faultpoint } from '../failpoint.ts'

export interface Mark {
  readonly identity: string
  /** Changes the catalog had seen at least; the catalog itself may be ahead, never behind. */
  readonly generation: number
}

/** Two slots are written in turns, so a power cut damages only one. */
const slotBytes = 64

const sync = promisify(fdatasync)
const writeText = promisify<number, string, number, BufferEncoding>(write)

export function markPath(dir: string): string {
  return join(dir, 'catalog.mark')
}

/** The newer of the two slots; `missing` where nothing was ever written, `damaged` where neither is whole. */
export function readMark(dir: string): Mark | 'missing' | 'damaged' {
  const path = markPath(dir)
  if (!existsSync(path)) return 'missing'
  const bytes = readFileSync(path)
  if (bytes.length === 0) return 'missing'
  const [first, second] = readSlots(bytes)
  return (isOlder(first, second) ? second : first) ?? 'damaged'
}

/** Writes the mark; every write is on the disk when it is over. */
export class MarkFile {
  readonly #fd: number
  /** Where the older of the two slots is. */
  #at: number

  constructor(dir: string) {
    this.#fd = openSync(markPath(dir), constants.O_RDWR | constants.O_CREAT, 0o644)
    const [first, second] = readSlots(readFileSync(this.#fd))
    this.#at = isOlder(first, second) ? 0 : slotBytes
    const folder = openSync(dir, 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  }

  write(mark: Mark): void {
    writeSync(this.#fd, format(mark), this.#at, 'latin1')
    fdatasyncSync(this.#fd)
    this.#turn()
  }

  /** As `write`, beside the event loop. */
  async save(mark: Mark): Promise<void> {
    faultpoint('catalog.mark')
    await writeText(this.#fd, format(mark), this.#at, 'latin1')
    await sync(this.#fd)
    this.#turn()
  }

  close(): void {
    closeSync(this.#fd)
  }

  #turn(): void {
    this.#at = slotBytes - this.#at
  }
}

function readSlots(bytes: Buffer): [Mark | undefined, Mark | undefined] {
  const slot = (at: number) => parse(bytes.subarray(at, at + slotBytes).toString('latin1'))
  return [slot(0), slot(slotBytes)]
}

function isOlder(slot: Mark | undefined, other: Mark | undefined): boolean {
  return (slot?.generation ?? 0) < (other?.generation ?? 0)
}

function format({ identity, generation }: Mark): string {
  const text = `${identity} ${String(generation).padStart(16, '0')}`
  return `${text} ${sumOf(text)}\n`.padEnd(slotBytes)
}

function parse(slot: string): Mark | undefined {
  const [, text, identity, generation, sum] = /^(([\da-f-]{36}) (\d{16})) ([\da-f]{8})\n/.exec(slot) ?? []
  return text !== undefined && sumOf(text) === sum ? { identity: identity!, generation: Number(generation) } : undefined
}

function sumOf(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}
