// Reading times by a format.

import { compileDateFormat, type DateFormat, parseZone, utc, type Zone } from '../../../../../core/compute.ts'
import type { Context } from '../../context.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { kinds, union } from '../../kind.ts'
import { isText, lossy, type Text, Timestamp, toBytes } from '../../value.ts'

export const timeParsers: readonly FunctionSpec[] = [
  {
    name: 'parse_timestamp',
    summary: 'Reads a time by a format in strftime notation; a time without an offset is one of the time zone.',
    params: [
      { name: 'value', kind: union(kinds.string, kinds.timestamp) },
      { name: 'format', kind: kinds.string },
      { name: 'timezone', kind: kinds.string, optional: true }
    ],
    returns: kinds.timestamp,
    fallible: true,
    prepare: call => {
      const formats = rememberFormats()
      const zones = rememberZones(call.context)
      return (value: Text | Timestamp, format: Text, timezone: Text | undefined) => {
        if (!isText(value)) return value
        return readTime(lossy(value), formats(lossy(format)), zones(timezone))
      }
    },
    examples: [
      {
        title: 'With an offset',
        source: 'parse_timestamp!("10-Oct-2020 16:00 +02:00", format: "%v %R %:z")',
        result: '"2020-10-10T14:00:00Z"'
      },
      {
        title: 'Local time',
        source: 'parse_timestamp!("16/10/2019 12:00:00", "%d/%m/%Y %H:%M:%S", timezone: "Europe/Paris")',
        result: '"2019-10-16T10:00:00Z"'
      },
      { title: 'No match', source: 'parse_timestamp!("soon", "%+")', raises: 'Invalid timestamp "soon"' }
    ]
  }
]

/** A format as programs write it, with or without an offset. */
interface TimeFormat {
  readonly text: string
  readonly offset: boolean
  readonly format: DateFormat
}

/** Fails when a specifier is unknown. */
function compileTimeFormat(text: string): TimeFormat {
  try {
    const format = compileDateFormat(text, message => new RangeError(message))
    return { text, offset: /%(?:[:#]?z|Z|\+)/.test(text.replaceAll('%%', '')), format }
  } catch (error) {
    throw fail(`invalid format: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Caches compiled formats. */
export function rememberFormats(): (text: string) => TimeFormat {
  return remember(compileTimeFormat)
}

/** Time zones by name; the one of the run without a name. */
export function rememberZones({ zone }: Context): (name: Text | undefined) => Zone {
  const named = remember(name => {
    const found = name === 'local' || name === 'SYSTEM' ? utc : parseZone(name)
    if (found === undefined) throw fail(`unable to parse timezone: "${name.slice(0, 60)}" is none`)
    return found
  })
  return name => (name === undefined ? zone : named(lossy(name)))
}

function remember<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return text => {
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= 100) known.clear()
    const made = make(text)
    known.set(text, made)
    return made
  }
}

/** Fails if the text does not match the format, or if the local time is skipped or repeated in the zone. */
export function readTime(text: string, { format, offset, text: formatText }: TimeFormat, zone: Zone): Timestamp {
  const bytes = toBytes(text)
  const why = `Invalid timestamp "${text.slice(0, 100)}"`
  if (!format.read(bytes, 0, bytes.length)) throw fail(`${why}: it does not match the format "${formatText}"`)
  if (offset && Number.isNaN(format.offset)) throw fail(`${why}: it has no offset`)
  const shift = Number.isNaN(format.offset) ? zone.localOffset(format.seconds) : format.offset
  if (typeof shift === 'string') throw fail(`${why}: this local time is ${shift} in ${zone.name}`)
  if (Math.abs(format.seconds) > maxSeconds) throw fail(`${why}: it is too far away`)
  return new Timestamp(BigInt(format.seconds - shift) * 1_000_000_000n + BigInt(format.nanosecond))
}

/** Seconds to the year 262000. */
const maxSeconds = 8_200_000_000_000
