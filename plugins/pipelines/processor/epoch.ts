// Numbers since 1970 to a timestamp.
import { cell, convertTime, type ItemBatch, type ItemField, type TimeUnit } from '../../../core/compute.ts'
import type { FieldPair, ProcessorDefinition } from '../../services.ts'
import { type Input, reject, rejectKind, shownCell } from '../cell/input.ts'
import { readInteger, readSafeInteger } from '../cell/number.ts'
import { parseResolution } from '../document/resolution.ts'

const perSeconds: Readonly<Record<TimeUnit, number>> = { s: 1, ms: 1e3, us: 1e6, ns: 1e9 }

export const epoch: ProcessorDefinition = {
  kind: 'epoch',
  compile(options, path) {
    const word = options.text('resolution') ?? 'ms'
    const unit = parseResolution(word)
    if (unit === undefined) throw options.error(`Invalid resolution: '${word}', expected s, ms, us or ns`)
    const input = { kind: 'epoch', path, ignoreMissing: options.ignoreMissing }
    return {
      apply(batch) {
        for (const pair of options.fields) applyTo(batch, pair, unit, input)
      },
      times: options.ignoreMissing ? [] : options.fields.map(({ to }) => ({ field: to, unit }))
    }
  },
  doc: {
    summary:
      'Reads a point in time from a number, or from text that is an integer. Fractions are cut off. A value that is a point in time ' +
      'already stays.',
    options: [
      {
        name: 'resolution',
        type: '`s`, `ms`, `us` or `ns`',
        default: '`ms`',
        text: 'What the number counts since 1970. Also `sec second milli millisecond micro microsecond nano nanosecond`.'
      }
    ],
    example: {
      yaml: 'epoch: { field: t, resolution: s }',
      input: '{"t":"1741064767"}',
      output: '{"t":"2025-03-04T05:06:07Z"}'
    }
  }
}

function applyTo(batch: ItemBatch, { from, to }: FieldPair, unit: TimeUnit, input: Input): void {
  const field = batch.field(from)
  const target = batch.getOrCreateField(to)
  for (let row = 0; row < batch.rows; row++) {
    if (batch.states[row] !== 0) continue
    const kind = field === undefined ? cell.absent : field.kinds[row]!
    if (kind <= cell.null) {
      if (!input.ignoreMissing) reject(batch, row, input, `missing field: ${from}`)
    } else if (kind === cell.timestamp) target.setTimestamp(row, field!.ints[row]!)
    else if (kind === cell.boolean || kind === cell.object) {
      rejectKind(batch, field!, row, input, 'number or its text')
    } else {
      const fault = setSafe(batch, field!, target, row, unit) ? undefined : setLarge(batch, field!, target, row, unit)
      if (fault !== undefined) reject(batch, row, input, `${fault}: ${shownCell(batch, field!, row)} in ${from}`)
    }
  }
}

/** Sets the target when the number is exact as a double and in range; makes no bigint. */
function setSafe(batch: ItemBatch, field: ItemField, target: ItemField, row: number, unit: TimeUnit): boolean {
  const value = safeNumber(batch, field, row)
  const perSecond = perSeconds[unit]
  const seconds = Math.floor(value / perSecond)
  if (!Number.isSafeInteger(value) || seconds < -9_223_372_036 || seconds >= 9_223_372_036) return false
  target.setTime(row, seconds, (value - seconds * perSecond) * (1e9 / perSecond))
  return true
}

function safeNumber(batch: ItemBatch, field: ItemField, row: number): number {
  const low = field.words[row * 2]!
  const high = field.words[row * 2 + 1]!
  if (field.kinds[row] === cell.string) return readSafeInteger(batch.bytes, low, high)
  if (field.kinds[row] === cell.float) return Math.trunc(field.floats[row]!)
  return (high | 0) * 4_294_967_296 + low
}

/** Sets the target or says what is wrong. */
function setLarge(batch: ItemBatch, field: ItemField, target: ItemField, row: number, unit: TimeUnit) {
  const value = integerOf(batch, field, row)
  if (value === undefined) return 'not an integer'
  const ns = convertTime(value, unit, 'ns')
  if (BigInt.asIntN(64, ns) !== ns) return 'out of the range of nanoseconds (years 1677 to 2262)'
  target.setTimestamp(row, ns)
  return undefined
}

function integerOf(batch: ItemBatch, field: ItemField, row: number): bigint | undefined {
  if (field.kinds[row] === cell.int) return field.ints[row]!
  if (field.kinds[row] === cell.string) {
    return readInteger(batch.bytes, field.words[row * 2]!, field.words[row * 2 + 1]!)
  }
  const float = field.floats[row]!
  return Number.isFinite(float) ? BigInt(Math.trunc(float)) : undefined
}
