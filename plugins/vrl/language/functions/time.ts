// Functions on points in time.
import { type FunctionSpec, fail } from '../function.ts'
import { kinds } from '../kind.ts'
import { lossy, type Text, Timestamp } from '../value.ts'
import { rememberZones } from './parse/time.ts'
import { formatTime } from './time-format.ts'

const nsPerUnit: Readonly<Record<string, bigint>> = {
  seconds: 1_000_000_000n,
  milliseconds: 1_000_000n,
  microseconds: 1000n,
  nanoseconds: 1n
}
const unit = { name: 'unit', kind: kinds.string, default: 'seconds', constant: true, oneOf: Object.keys(nsPerUnit) }

export const times: readonly FunctionSpec[] = [
  {
    name: 'now',
    summary: 'The current time.',
    params: [],
    returns: kinds.timestamp,
    run: () => new Timestamp(process.hrtime.bigint() + clockOffset),
    examples: [{ title: 'A time', source: 'is_timestamp(now())', result: 'true' }]
  },
  {
    name: 'to_unix_timestamp',
    summary: 'The time as an integer since 1970, rounded down to the unit.',
    params: [{ name: 'value', kind: kinds.timestamp }, unit],
    returns: kinds.integer,
    prepare: call => {
      const size = nsPerUnit[call.constant('unit') as string]!
      return (value: Timestamp) => {
        const whole = value.ns / size
        const floor = value.ns < 0n && whole * size !== value.ns ? whole - 1n : whole
        if (floor !== BigInt.asIntN(64, floor)) throw fail('the time does not fit into an integer of this unit')
        return floor
      }
    },
    examples: [
      {
        title: 'Milliseconds',
        source: 'to_unix_timestamp(t\'1970-01-01T00:00:01.5Z\', "milliseconds")',
        result: '1500'
      }
    ]
  },
  {
    name: 'from_unix_timestamp',
    summary: 'The time for an integer since 1970.',
    params: [{ name: 'value', kind: kinds.integer }, unit],
    returns: kinds.timestamp,
    fallible: true,
    prepare: call => {
      const size = nsPerUnit[call.constant('unit') as string]!
      return (value: bigint) => {
        const ns = value * size
        if (ns > maxNanoseconds || ns < -maxNanoseconds) throw fail(`unable to coerce ${value} into timestamp`)
        return new Timestamp(ns)
      }
    },
    examples: [{ title: 'Seconds', source: 'from_unix_timestamp!(5)', result: '"1970-01-01T00:00:05Z"' }]
  },
  {
    name: 'format_timestamp',
    summary: 'Writes a time by a format in strftime notation, in UTC or another time zone.',
    params: [
      { name: 'value', kind: kinds.timestamp },
      { name: 'format', kind: kinds.string },
      { name: 'timezone', kind: kinds.string, optional: true }
    ],
    returns: kinds.string,
    fallible: true,
    prepare: ({ context }) => {
      const zones = rememberZones(context)
      return (value: Timestamp, format: Text, timezone: Text | undefined) =>
        formatTime(context, value, lossy(format), zones(timezone))
    },
    examples: [
      {
        title: 'In UTC',
        source: 'format_timestamp!(t\'2025-03-04T05:06:07.5Z\', "%A %e %B %Y, %H:%M:%S%.3f %:z")',
        result: '"Tuesday  4 March 2025, 05:06:07.500 +00:00"'
      },
      {
        title: 'In a time zone',
        source: 'format_timestamp!(t\'2025-07-04T05:06:07Z\', "%F %T %z %Z", timezone: "Europe/Berlin")',
        result: '"2025-07-04 07:06:07 +0200 CEST"'
      },
      { title: 'An unknown specifier', source: 'format_timestamp!(now(), "%Q")', raises: 'invalid format' }
    ]
  }
]

/** The offset between the monotonic and the wall clock, taken once per process. */
const clockOffset = BigInt(Date.now()) * 1_000_000n - process.hrtime.bigint()
const maxNanoseconds = 8_200_000_000_000_000_000_000n
