// A fleet of hosts that report ten gauges of their processor every ten seconds: as columns, and as lines for servers that take those.
import type { Column } from '../../core/model/batch.ts'
import type { ColumnDefinition } from '../../core/model/table.ts'
import { sequence } from '../corpus.ts'

export const fields = [
  'usage_user',
  'usage_system',
  'usage_idle',
  'usage_nice',
  'usage_iowait',
  'usage_irq',
  'usage_softirq',
  'usage_steal',
  'usage_guest',
  'usage_guest_nice'
] as const

/** Milliseconds since 1970. */
export const start = Date.UTC(2026, 0, 1)
export const step = 10_000

const tags: Readonly<Record<string, (host: number) => string>> = {
  hostname: host => `host_${host}`,
  region: host => ['eu-north', 'us-east', 'ap-south'][host % 3]!,
  datacenter: host => `dc-${host % 9}`,
  rack: host => `${host % 100}`,
  os: host => (host % 4 ? 'debian13' : 'alpine3'),
  arch: host => (host % 2 ? 'arm64' : 'amd64'),
  team: host => ['search', 'shop', 'data', 'core'][host % 4]!,
  service: host => `${host % 20}`,
  service_version: host => `${host % 2}`,
  service_environment: host => ['production', 'staging', 'test'][host % 3]!
}

export const columns: readonly ColumnDefinition[] = [
  ...Object.keys(tags).map(name => ({ name, type: 'String', semantic: 'tag', nullable: true }) as const),
  { name: 'ts', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false },
  ...fields.map(name => ({ name, type: 'Float64', semantic: 'field', nullable: true }) as const)
]

export interface Fleet {
  readonly hosts: number
  readonly rounds: number
  /** All hosts at the times of the next `rounds`, as often as it is called; the gauges go on from where they were. */
  next(rounds: number): Batch
}

export interface Batch {
  readonly rows: number
  readonly columns: readonly Column[]
  /** The same rows as lines `cpu,tag=… field=… milliseconds`. */
  lines(): string
}

export function createFleet(hosts: number, rounds: number): Fleet {
  const random = sequence(23)
  const level = Float64Array.from({ length: hosts * fields.length }, () => Math.floor(random() * 100))
  const prefixes = Array.from({ length: hosts }, (_, host) =>
    ['cpu', ...Object.entries(tags).map(([name, make]) => `${name}=${make(host)}`)].join()
  )
  let round = 0
  return {
    hosts,
    rounds,
    next(count) {
      const rows = hosts * count
      const times = BigInt64Array.from({ length: rows }, (_, row) =>
        BigInt(start + (round + Math.floor(row / hosts)) * step)
      )
      const values = fields.map(() => new Float64Array(rows))
      for (let row = 0; row < rows; row++) {
        for (const [f, gauge] of values.entries()) gauge[row] = move(level, (row % hosts) * fields.length + f, random)
      }
      round += count
      const fixed = fields.map((name, f) => float(name, values[f]!))
      const time: Column = {
        name: 'ts',
        type: 'TimestampMillisecond',
        semantic: 'timestamp',
        data: { kind: 'fixed', values: times }
      }
      return {
        rows,
        columns: [...tagColumns(hosts, count), time, ...fixed],
        lines: () => writeLines(prefixes, times, values)
      }
    }
  }
}

/** A gauge from 0 to 100 that moves by whole steps. */
function move(level: Float64Array, i: number, random: () => number): number {
  level[i] = Math.max(0, Math.min(100, level[i]! + Math.round((random() - 0.5) * 4)))
  return level[i]
}

function float(name: string, values: Float64Array): Column {
  return { name, type: 'Float64', semantic: 'field', data: { kind: 'fixed', values } }
}

function tagColumns(hosts: number, count: number): Column[] {
  return Object.entries(tags).map(([name, make]) => {
    const texts = Array.from({ length: hosts * count }, (_, row) => make(row % hosts))
    const offsets = new Uint32Array(texts.length + 1)
    texts.forEach((text, i) => {
      offsets[i + 1] = offsets[i]! + text.length
    })
    return {
      name,
      type: 'String',
      semantic: 'tag',
      data: { kind: 'bytes', offsets, bytes: Buffer.from(texts.join('')) }
    }
  })
}

function writeLines(prefixes: readonly string[], times: BigInt64Array, values: readonly Float64Array[]): string {
  const lines: string[] = []
  for (let row = 0; row < times.length; row++) {
    const gauges = fields.map((name, f) => `${name}=${values[f]![row]}`)
    lines.push(`${prefixes[row % prefixes.length]} ${gauges.join()} ${times[row]}`)
  }
  return lines.join('\n')
}
