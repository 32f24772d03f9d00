// Functions on points in time.
import { type FunctionSpec, fail } from '../function.ts'
import { kinds } from '../kind.ts'
import { Timestamp } from '../value.ts'

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
        if (ns > farthest || ns < -farthest) throw fail(`unable to coerce ${value} into timestamp`)
        return new Timestamp(ns)
      }
    },
    examples: [{ title: 'Seconds', source: 'from_unix_timestamp!(5)', result: '"1970-01-01T00:00:05Z"' }]
  }
]

/** What the monotonic clock lacks to the wall clock is a matter of the process, not of a program. */
const clockOffset = BigInt(Date.now()) * 1_000_000n - process.hrtime.bigint()
const farthest = 8_200_000_000_000_000_000_000n
