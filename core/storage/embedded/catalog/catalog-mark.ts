// The mark in the log's folder: which catalog the log belongs to, and how far that catalog had come.
import { closeSync, constants, existsSync, fdatasyncSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

export interface Mark {
  readonly identity: string
  /** Changes the catalog had seen at least; the catalog itself may be ahead, never behind. */
  readonly generation: number
}

/** Written in turns: what a power cut tears is one of two slots. */
const slotBytes = 64

export function markPath(dir: string): string {
  return join(dir, 'catalog.mark')
}

/** The newer of the two slots; `missing` where nothing was ever written, `damaged` where neither is whole. */
export function readMark(dir: string): Mark | 'missing' | 'damaged' {
  const path = markPath(dir)
  if (!existsSync(path)) return 'missing'
  const bytes = readFileSync(path)
  if (bytes.length === 0) return 'missing'
  const slots = [0, slotBytes].map(at => parse(bytes.subarray(at, at + slotBytes).toString('latin1')))
  const [newest] = slots.filter(slot => slot !== undefined).sort((a, b) => b.generation - a.generation)
  return newest ?? 'damaged'
}

/** Writes the mark; every write is on the disk when it returns. */
export class MarkFile {
  readonly #fd: number

  constructor(dir: string) {
    this.#fd = openSync(markPath(dir), constants.O_RDWR | constants.O_CREAT, 0o644)
    const folder = openSync(dir, 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  }

  write(mark: Mark): void {
    writeSync(this.#fd, format(mark), (mark.generation % 2) * slotBytes, 'latin1')
    fdatasyncSync(this.#fd)
  }

  close(): void {
    closeSync(this.#fd)
  }
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
