// What a siege showed, in words and figures.
import { type Clock, quantile, type Role } from './honest.ts'
import { memoryBound, type Phase, type Siege } from './run.ts'

/** Milliseconds. */
const bounds = { ingest: 250, health: 250, healthMost: 50 } as const

const ingests: readonly Role[] = ['line protocol', 'NDJSON']

export function describePhase({ name, clocks, outcomes, memory, held }: Phase): string[] {
  const lines = [`${name}  (${megabytes(memory)})`]
  for (const [role, clock] of Object.entries(clocks)) lines.push(`    ${role.padEnd(14)}${describeClock(clock)}`)
  for (const [attack, counts] of outcomes) {
    const answers = [...counts].map(([outcome, count]) => `${outcome} × ${count}`).join(', ')
    lines.push(`    attack ${outcomes.size > 1 ? `${attack}: ` : ''}${answers}`)
  }
  for (const [path, { ms, processor_ms }] of held) {
    lines.push(`    held the event loop: ${path}, ${ms} ms at most, ${processor_ms} ms of work`)
  }
  return lines
}

function describeClock({ times, failures, gap }: Clock): string {
  const figures = [quantile(times, 0.5), quantile(times, 0.99), quantile(times, 1), gap].map(each =>
    each.toFixed(0).padStart(6)
  )
  const refused = [...failures].map(([outcome, count]) => `${outcome} × ${count}`).join(', ')
  return `p50${figures[0]}  p99${figures[1]}  most${figures[2]}  longest gap${figures[3]} ms  of ${times.length}${refused && `, refused ${refused}`}`
}

export function describeSiege({ phases, lost, died, restarts }: Siege): string[] {
  const peak = Math.max(...phases.map(({ memory }) => memory))
  return [
    '',
    died ? 'the server ended by itself' : 'the server ran through',
    `most memory of all processes: ${megabytes(peak)}, the bound is ${megabytes(memoryBound)}`,
    `restarts of the process that runs SQL: ${restarts}`,
    ...[...lost].map(([table, rows]) => `rows of ${table} that were answered and are gone: ${rows}`)
  ]
}

/** What must not be, in words. */
export function brokenBounds({ phases, lost, died }: Siege): string[] {
  const broken: string[] = died ? ['the server ended by itself'] : []
  for (const { name, clocks, memory } of phases) {
    const say = (what: string) => broken.push(`${name}: ${what}`)
    for (const role of ingests) {
      const p99 = quantile(clocks[role].times, 0.99)
      if (p99 > bounds.ingest) say(`99 % of ${role} within ${p99.toFixed(0)} ms, the bound is ${bounds.ingest}`)
    }
    const { times, gap } = clocks.health
    const most = Math.max(gap, quantile(times, 1))
    if (most > bounds.health) say(`/health took ${most.toFixed(0)} ms, the bound is ${bounds.health}`)
    const p99 = quantile(times, 0.99)
    if (p99 > bounds.healthMost) say(`99 % of /health within ${p99.toFixed(0)} ms, the bound is ${bounds.healthMost}`)
    if (memory > memoryBound) say(`${megabytes(memory)}, the bound is ${megabytes(memoryBound)}`)
  }
  for (const [table, rows] of lost) if (rows !== 0) broken.push(`${rows} rows of ${table} are lost`)
  return broken
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`
}
