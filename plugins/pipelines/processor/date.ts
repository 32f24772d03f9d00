// Text to a timestamp by strftime formats.
import { type ItemBatch, parseZone } from '../../../core/index.ts'
import type { FieldPair, ProcessorDefinition, ProcessorOptions } from '../../services.ts'
import { hasText, reject, shownCell } from '../cell/input.ts'
import { compileDateFormat, type DateFormat } from '../date/format.ts'

/** Without `formats`: date and time with `T`, a fraction or none, and an offset, a `Z` or nothing behind. */
const defaultFormats = ['%Y-%m-%dT%H:%M:%S%.f%z', '%Y-%m-%dT%H:%M:%S%.fZ', '%Y-%m-%dT%H:%M:%S%.f']

/** Beyond these seconds nanoseconds leave 64 bits. */
const farthest = 9_223_372_036

export const date: ProcessorDefinition = {
  kind: 'date',
  compile(options, path) {
    const formats = readFormats(options)
    const toSeconds = localToUtc(options)
    const input = { kind: 'date', path, ignoreMissing: options.ignoreMissing }
    const applyTo = (batch: ItemBatch, { from, to }: FieldPair) => {
      const field = batch.field(from)
      const target = batch.take(to)
      let last: { start: number; end: number; seconds: number; nanosecond: number } | undefined
      for (let row = 0; row < batch.rows; row++) {
        if (batch.states[row] !== 0 || !hasText(batch, field, row, input, from)) continue
        const start = field!.words[row * 2]!
        const end = field!.words[row * 2 + 1]!
        if (last === undefined || !sameBytes(batch.bytes, last.start, last.end, start, end)) {
          const format = firstMatch(formats, batch.bytes, start, end)
          const seconds = format === undefined ? Number.NaN : toSeconds(format)
          if (!(seconds >= -farthest && seconds < farthest)) {
            reject(batch, row, input, `failed to parse ${shownCell(batch, field!, row)} in ${from}`)
            continue
          }
          last = { start, end, seconds, nanosecond: format!.nanosecond }
        }
        target.setTime(row, last.seconds, last.nanosecond)
      }
    }
    return {
      apply(batch) {
        for (const pair of options.fields) applyTo(batch, pair)
      },
      times: options.ignoreMissing ? [] : options.fields.map(({ to }) => ({ field: to, unit: 'ns' }))
    }
  }
}

function readFormats(options: ProcessorOptions): DateFormat[] {
  // Tried as written: of two formats that fit, the author's first is meant.
  const texts = [...new Set(options.texts('formats') ?? [])]
  return (texts.length === 0 ? defaultFormats : texts).map(text => compileDateFormat(text, options.error))
}

/** UTC seconds of what a format has read: by its own offset, else in the processor's zone; NaN for a local time that is not one time. */
function localToUtc(options: ProcessorOptions): (format: DateFormat) => number {
  const name = options.text('timezone') ?? 'UTC'
  const zone = parseZone(name)
  if (zone === undefined) throw options.error(`unknown timezone '${name}': expected UTC, an IANA name or ±hh:mm`)
  return ({ seconds, offset }) => {
    if (!Number.isNaN(offset)) return seconds - offset
    const found = zone.localOffset(seconds)
    return typeof found === 'number' ? seconds - found : Number.NaN
  }
}

function firstMatch(formats: readonly DateFormat[], bytes: Uint8Array, start: number, end: number) {
  for (const format of formats) if (format.read(bytes, start, end)) return format
  return undefined
}

function sameBytes(bytes: Uint8Array, start: number, end: number, otherStart: number, otherEnd: number): boolean {
  if (end - start !== otherEnd - otherStart) return false
  let back = otherEnd
  for (let i = end; i > start; ) if (bytes[--i] !== bytes[--back]) return false
  return true
}
