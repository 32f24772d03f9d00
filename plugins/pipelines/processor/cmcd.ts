// Reads the key-value pairs that media players send (common media client data).
import type { ItemBatch, ItemField } from '../../../core/compute.ts'
import type { FieldPair, ProcessorDefinition } from '../../services.ts'
import { type Input, reject, shownText } from '../cell/input.ts'
import { readDecimal, readInteger } from '../cell/number.ts'
import { percentDecode } from '../cell/percent.ts'
import { eachText, setBytes } from './cells.ts'

/** Sets the value from a range of bytes, or says what is wrong. */
type SetValue = (batch: ItemBatch, field: ItemField, row: number, start: number, end: number) => string | undefined

const values: Readonly<Record<string, SetValue>> = Object.fromEntries([
  ...'br bl d dl mtp rtp tb'.split(' ').map(key => [key, setInteger] as const),
  ...'cid nrr ot sf sid st v'.split(' ').map(key => [key, setText] as const),
  ['nor', setDecoded],
  ['pr', setFloat]
])

const flags: ReadonlySet<string> = new Set(['bs', 'su'])

export const cmcd: ProcessorDefinition = {
  kind: 'cmcd',
  compile(options, path) {
    const input = { kind: 'cmcd', path, ignoreMissing: options.ignoreMissing }
    return {
      writes: [],
      apply(batch) {
        for (const pair of options.fields) {
          eachText(batch, pair.from, input, (row, start, end) => readPairs(batch, row, start, end, pair, input))
        }
      }
    }
  },
  doc: {
    summary:
      'Reads `key[=value]` pairs of media players (CTA-5004) into fields `<field>_<key>`; a new name of the field stands in front ' +
      'instead. `bs` and `su` are true, `br bl d dl mtp rtp tb` integers, `pr` is a float, `nor` is decoded text and `cid nrr ot sf ' +
      'sid st v` are text with their quotes. Other keys are left out.',
    options: [],
    example: {
      yaml: 'cmcd: { field: "c, m" }',
      input: '{"c":"br=900,su,ot=v"}',
      output: '{"c":"br=900,su,ot=v","m_br":900,"m_ot":"v","m_su":true}'
    }
  }
}

const decoder = new TextDecoder()

function readPairs(batch: ItemBatch, row: number, start: number, end: number, pair: FieldPair, input: Input): void {
  let at = start
  while (at <= end) {
    const { bytes } = batch
    const stop = indexOf(bytes, 44, at, end)
    const equals = indexOf(bytes, 61, at, stop)
    const key = equals - at > 3 ? '' : decoder.decode(bytes.subarray(at, equals))
    const fault = readPair(batch, row, key, equals, stop, pair.to)
    if (fault !== undefined) {
      const shown = shownText(decoder.decode(batch.bytes.subarray(at, Math.min(stop, at + 240))))
      reject(batch, row, input, `${fault}: ${shown} in ${pair.from}`)
      return
    }
    at = stop + 1
  }
}

/** The value stands behind the first `=` and ends before the next. */
function readPair(batch: ItemBatch, row: number, key: string, equals: number, stop: number, prefix: string) {
  if (flags.has(key)) {
    batch.getOrCreateField(`${prefix}_${key}`).setBoolean(row, true)
    return undefined
  }
  const set = Object.hasOwn(values, key) ? values[key]! : undefined
  if (set === undefined) return undefined
  if (equals === stop) return `${key} needs a value`
  return set(
    batch,
    batch.getOrCreateField(`${prefix}_${key}`),
    row,
    equals + 1,
    indexOf(batch.bytes, 61, equals + 1, stop)
  )
}

/** Position of the byte, or `end`. */
function indexOf(bytes: Uint8Array, byte: number, start: number, end: number): number {
  let i = start
  while (i < end && bytes[i] !== byte) i++
  return i
}

function setInteger(batch: ItemBatch, field: ItemField, row: number, start: number, end: number): string | undefined {
  const value = readInteger(batch.bytes, start, end)
  if (value === undefined || BigInt.asIntN(64, value) !== value) return 'not an integer of 64 bits'
  field.setInt(row, value)
  return undefined
}

function setFloat(batch: ItemBatch, field: ItemField, row: number, start: number, end: number): string | undefined {
  const value = readDecimal(batch.bytes, start, end)
  if (value === undefined || Number.isNaN(value)) return 'not a number'
  field.setFloat(row, value)
  return undefined
}

function setText(_: ItemBatch, field: ItemField, row: number, start: number, end: number): undefined {
  field.setRange(row, start, end)
}

function setDecoded(batch: ItemBatch, field: ItemField, row: number, start: number, end: number): string | undefined {
  const decoded = percentDecode(batch.bytes, start, end)
  if (decoded === null) return 'decoded text is not UTF-8'
  if (decoded === undefined) field.setRange(row, start, end)
  else setBytes(batch, field, row, decoded)
  return undefined
}
