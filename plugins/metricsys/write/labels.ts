// Decodes labels in the encoding of remote write 1.0 into names and values.

import { isUtf8 } from 'node:buffer'
import { DbError, type SeriesLabel } from '../../../core/index.ts'
import { ProtoReader } from '../../../core/wire/index.ts'

/** How many labels of a set are kept for the next one, and how many bytes such a label may have. */
const maxKept = 100
const maxKeptLength = 256

/** Of one set of labels, which is read without a pause. */
export interface LabelLimits {
  readonly labels: number
  readonly bytes: number
}

interface Kept {
  readonly name: Uint8Array
  readonly label: SeriesLabel
}

/**
 * Reads one set of labels after the other. They mostly have the names of the set before, in the same order, and most of its values: a
 * label that is the same as before is the same object.
 */
export class LabelReader {
  /** The label last found at each index. */
  readonly #last: (Kept | undefined)[] = []
  /** All names in there are different. */
  #areUnique = true
  readonly #limits: () => LabelLimits

  constructor(limits: () => LabelLimits) {
    this.#limits = limits
  }

  /**
   * Of `bytes[start … end]`; an empty value means that there is no such label. Throws DbError `InvalidArguments` for a name that comes
   * twice, for broken UTF-8 and for labels that are too many or too long.
   */
  read(bytes: Uint8Array, start: number, end: number): SeriesLabel[] {
    const labels: SeriesLabel[] = []
    const { labels: max, bytes: maxBytes } = this.#limits()
    if (end - start > maxBytes) {
      const reason = `the labels of a series take ${end - start} bytes, at most ${maxBytes} are taken (64 times limits.max_tag_length)`
      throw new DbError('InvalidArguments', reason)
    }
    for (let at = start, i = 0; at < end; i++) {
      if (i > max) throw new DbError('InvalidArguments', `a series has more than ${max} labels`)
      const inner = at + 2
      const stop = inner + bytes[at + 1]!
      const value = inner + 2 + bytes[inner + 1]!
      // The usual encoding: the name first, both lengths in one byte.
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
        labels.push(this.#take(i, bytes, inner + 2, value, value + 2, stop))
        at = stop
      } else {
        const { name, value, end: next } = readSlowly(bytes, at, end)
        const [first, from] = [name.byteOffset - bytes.byteOffset, value.byteOffset - bytes.byteOffset]
        labels.push(this.#take(i, bytes, first, first + name.length, from, from + value.length))
        at = next
      }
    }
    if (!this.#areUnique) {
      checkUnique(labels)
      this.#areUnique = true
    }
    return labels
  }

  /** The label at an index of the set: of `bytes`, the name from `start` to `middle`, the value from `from` to `end`. */
  #take(i: number, bytes: Uint8Array, start: number, middle: number, from: number, end: number): SeriesLabel {
    const last = this.#last[i]
    const isNamed = last !== undefined && equals(last.name, bytes, start, middle)
    if (isNamed && equals(last.label.value, bytes, from, end)) return last.label
    if (!isNamed) {
      // Labels that follow may have the same name.
      this.#areUnique = false
      this.#last.length = Math.min(i, maxKept)
    }
    const nameBytes = isNamed ? last.name : bytes.slice(start, middle)
    const name = isNamed ? last.label.name : nameText(nameBytes)
    const label = { name, value: valueBytes(name, bytes, from, end) }
    if (i < maxKept) {
      this.#last[i] = middle - start + end - from > maxKeptLength ? undefined : { name: nameBytes, label }
    }
    return label
  }
}

/** The label at an index, field by field; name and value are parts of `bytes`. */
function readSlowly(bytes: Uint8Array, at: number, end: number) {
  const reader = new ProtoReader(bytes, at, end)
  reader.next()
  const label = reader.message()
  let name = bytes.subarray(at, at)
  let value = name
  while (label.next()) {
    if (label.field === 1) name = label.data()
    else if (label.field === 2) value = label.data()
    else label.skip()
  }
  return { name, value, end: reader.at }
}

function checkUnique(labels: readonly SeriesLabel[]): void {
  const names = new Set<string>()
  for (const { name } of labels) {
    if (names.has(name)) throw new DbError('InvalidArguments', `label ${name} is given twice`)
    names.add(name)
  }
}

/** Values up to this length are copied byte by byte, which costs less than a call. */
const maxShortValue = 256

/** A copy: small arrays cost less than views. */
function valueBytes(name: string, bytes: Uint8Array, start: number, end: number): Uint8Array {
  if (end - start > maxShortValue) return checked(name, Uint8Array.prototype.slice.call(bytes, start, end))
  const value = new Uint8Array(end - start)
  let all = 0
  for (let i = 0; i < value.length; i++) {
    const byte = bytes[start + i]!
    value[i] = byte
    all |= byte
  }
  return all > 127 ? checked(name, value) : value
}

function checked(name: string, value: Uint8Array): Uint8Array {
  if (!isUtf8(value)) throw new DbError('InvalidArguments', `the value of label ${name} is not valid UTF-8`)
  return value
}

function equals(known: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (known.length !== end - start) return false
  for (let i = 0; i < known.length; i++) if (known[i] !== bytes[start + i]) return false
  return true
}

function nameText(name: Uint8Array): string {
  if (!isUtf8(name)) throw new DbError('InvalidArguments', 'a label name is not valid UTF-8')
  return Buffer.from(name).toString()
}
