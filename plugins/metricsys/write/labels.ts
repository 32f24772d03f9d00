// Labels as version 1.0 writes them, to names and values.
import { isUtf8 } from 'node:buffer'
import { DbError, ProtoReader } from '../../../core/index.ts'

/** UTF-8 by name; an empty value means that there is no such label. */
export type Labels = ReadonlyMap<string, Uint8Array>

/** Reads one set of labels after the other: names mostly are those of the set before, in the same places, and become text only once. */
export class LabelReader {
  readonly #names: { readonly bytes: Uint8Array; readonly text: string }[] = []

  /** Of `bytes[start … end]`; the values are parts of `bytes`. Throws DbError `InvalidArguments` for a name that comes twice and for broken UTF-8. */
  read(bytes: Uint8Array, start: number, end: number): Labels {
    const labels = new Map<string, Uint8Array>()
    for (let at = start, i = 0; at < end; i++) {
      const inner = at + 2
      const stop = inner + bytes[at + 1]!
      const value = inner + 2 + bytes[inner + 1]!
      // Lengths of one byte, the name first: what senders write.
      const isPlain =
        bytes[at] === 0x0a &&
        bytes[at + 1]! < 128 &&
        stop <= end &&
        bytes[inner] === 0x0a &&
        bytes[inner + 1]! < 128 &&
        value + 2 <= stop &&
        bytes[value] === 0x12 &&
        bytes[value + 1]! < 128 &&
        value + 2 + bytes[value + 1]! === stop
      if (isPlain) {
        add(labels, this.#nameAt(i, bytes, inner + 2, value), bytes.subarray(value + 2, stop))
        at = stop
      } else at = readSlowly(labels, bytes, at, end)
    }
    return labels
  }

  #nameAt(i: number, bytes: Uint8Array, start: number, end: number): string {
    const before = this.#names[i]
    if (before !== undefined && equals(before.bytes, bytes, start, end)) return before.text
    const name = bytes.slice(start, end)
    const text = decode(name)
    this.#names[i] = { bytes: name, text }
    return text
  }
}

/** The label at a place, field by field; returns where it ends. */
function readSlowly(labels: Map<string, Uint8Array>, bytes: Uint8Array, at: number, end: number): number {
  const reader = new ProtoReader(bytes, at, end)
  reader.next()
  const label = reader.message()
  let name = ''
  let value: Uint8Array = new Uint8Array()
  while (label.next()) {
    if (label.field === 1) name = label.text()
    else if (label.field === 2) value = label.data()
    else label.skip()
  }
  add(labels, name, value)
  return reader.at
}

function add(labels: Map<string, Uint8Array>, name: string, value: Uint8Array): void {
  if (labels.has(name)) throw invalid(`label ${name} is given twice`)
  if (!isText(value)) throw invalid(`the value of label ${name} is not valid UTF-8`)
  labels.set(name, value)
}

function isText(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i]! > 127) return isUtf8(bytes)
  return true
}

function equals(name: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (name.length !== end - start) return false
  for (let i = 0; i < name.length; i++) if (name[i] !== bytes[start + i]) return false
  return true
}

function decode(name: Uint8Array): string {
  if (!isUtf8(name)) throw invalid('a label name is not valid UTF-8')
  return Buffer.from(name).toString()
}

function invalid(message: string): DbError {
  return new DbError('InvalidArguments', message)
}
