// Text to a timestamp by strftime formats.
import { compareUtf8, compileDateFormat, type DateFormat, type ItemBatch, parseZone } from '../../../core/compute.ts'
import type { FieldPair, ProcessorDefinition, ProcessorOptions } from '../../services.ts'
import { hasText, reject, shownCell } from '../cell/input.ts'

/** Without `formats`: date and time with `T`, a fraction or none, and an offset, a `Z` or nothing behind. */
const defaultFormats = ['%Y-%m-%dT%H:%M:%S%.f%z', '%Y-%m-%dT%H:%M:%S%.fZ', '%Y-%m-%dT%H:%M:%S%.f']

/** Beyond these seconds nanoseconds leave 64 bits. */
const maxSeconds = 9_223_372_036

export const date: ProcessorDefinition = {
  kind: 'date',
  compile(options, path) {
    const formats = readFormats(options)
    const toSeconds = localToUtc(options)
    const input = { kind: 'date', path, ignoreMissing: options.ignoreMissing }
    const applyTo = (batch: ItemBatch, { from, to }: FieldPair) => {
      const field = batch.field(from)
      const target = batch.getOrCreateField(to)
      let last: { start: number; end: number; seconds: number; nanosecond: number } | undefined
      for (let row = 0; row < batch.rows; row++) {
        if (batch.states[row] !== 0 || !hasText(batch, field, row, input, from)) continue
        const start = field!.words[row * 2]!
        const end = field!.words[row * 2 + 1]!
        if (last === undefined || !sameBytes(batch.bytes, last.start, last.end, start, end)) {
          const format = firstMatch(formats, batch.bytes, start, end)
          const seconds = format === undefined ? Number.NaN : toSeconds(format)
          if (!(seconds >= -maxSeconds && seconds < maxSeconds)) {
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
  },
  doc: {
    summary:
      'Reads a point in time from text. The whole text must be used up, and hour and minute must be in it. A local time that a change ' +
      'of the clock skips or repeats fails the item.',
    options: [
      {
        name: 'formats',
        type: 'list of strings',
        default: 'date and time with `T`, with or without a fraction, an offset or `Z`',
        text: 'Notation of strftime. Tried in the order of their bytes, not as written; the first that fits wins.'
      },
      {
        name: 'timezone',
        type: 'string',
        default: '`UTC`',
        text: 'IANA name or `+hh:mm`; counts where the text names no offset.'
      },
      {
        name: 'locale',
        type: 'string',
        default: 'none',
        text: 'Taken and without effect: names of months and days are English.'
      }
    ],
    example: {
      yaml: 'date: { field: "at, ts", formats: ["%d.%m.%Y %H:%M"], timezone: Europe/Berlin }',
      input: '{"at":"04.03.2025 06:06"}',
      output: '{"at":"04.03.2025 06:06","ts":"2025-03-04T05:06:00Z"}'
    }
  }
}

function readFormats(options: ProcessorOptions): DateFormat[] {
  // Which of two formats that fit is tried first must not depend on how the list is written.
  const texts = [...new Set(options.texts('formats') ?? [])].sort(compareUtf8)
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
