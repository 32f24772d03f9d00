// What a siege showed, in words and figures.
import { attacks } from './attacks.ts'
import { type Clock, quantile, type Role } from './honest.ts'
import { memoryBound, type Phase, type Siege } from './run.ts'

/** Milliseconds. */
const bounds = { ingest: 250, health: 250, healthMax: 50, work: 100, stop: 15_000, calm: 20 } as const

const ingests: readonly Role[] = ['line protocol', 'NDJSON']

export function describePhase({ name, clocks, outcomes, memory, ownMemory, held }: Phase): string[] {
  const lines = [`${name}  (${megabytes(memory)}, of these the server itself ${megabytes(ownMemory)})`]
  for (const [role, clock] of Object.entries(clocks)) lines.push(`    ${role.padEnd(14)}${describeClock(clock)}`)
  for (const [attack, counts] of outcomes) {
    const answers = [...counts].map(([outcome, count]) => `${outcome} × ${count}`).join(', ')
    lines.push(`    attack ${outcomes.size > 1 ? `${attack}: ` : ''}${answers}`)
  }
  for (const [path, { ms, processor_ms, gc_ms, queued_ms }] of held) {
    const parts = `${processor_ms} ms of work (${gc_ms} of them garbage collection), ${queued_ms} ms without a processor`
    lines.push(`    held the event loop: ${path}, ${ms} ms at most, ${parts}`)
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

export function describeSiege({ phases, lost, died, restarts, stop }: Siege): string[] {
  const peak = Math.max(...phases.map(({ memory }) => memory))
  const bound = memoryBound(phases.at(-1)?.series ?? 0)
  return [
    '',
    died ? 'the server ended by itself' : 'the server ran through',
    `waves whose times are not judged, because a server that does nothing was late, too: ${phases.filter(isBusy).length} of ${phases.length}`,
    `most memory of all processes: ${megabytes(peak)}, the bound is ${megabytes(bound)}`,
    `restarts of the process that runs SQL: ${restarts}`,
    `from SIGTERM to its end: ${stop.toFixed(0)} ms`,
    ...[...lost].map(([table, rows]) => `rows of ${table} that were answered and are gone: ${rows}`)
  ]
}

/** Whether the machine has so much else to do that times say nothing of the server. */
export function isBusy({ clocks }: Phase): boolean {
  return quantile(clocks.ruler.times, 0.99) > bounds.calm
}

/**
 * What must not be, in words. Where even a server that does nothing answers late, times of others are not judged; how long the event loop
 * was at work without a pause always is.
 */
export function brokenBounds({ phases, lost, died, stop }: Siege): string[] {
  const broken: string[] = died ? ['the server ended by itself'] : []
  for (const phase of phases) {
    const { name, memory, series, held } = phase
    const say = (what: string) => broken.push(`${name}: ${what}`)
    if (!isBusy(phase)) brokenTimes(phase).forEach(say)
    for (const [path, { processor_ms }] of held) {
      if (processor_ms > bounds.work)
        say(`${path} held the event loop for ${processor_ms} ms of work, the bound is ${bounds.work}`)
    }
    const bound = memoryBound(series)
    if (memory > bound) say(`${megabytes(memory)}, the bound is ${megabytes(bound)}`)
  }
  if (stop > bounds.stop) broken.push(`SIGTERM took ${stop.toFixed(0)} ms, the bound is ${bounds.stop}`)
  for (const [table, rows] of lost) if (rows !== 0) broken.push(`${rows} rows of ${table} are lost`)
  return broken
}

/** A time may exceed its bound by the time that an idle server took in the same seconds. */
function brokenTimes({ name, clocks }: Phase): string[] {
  const ingest = attacks.find(attack => attack.name === name)?.ingestWithin ?? bounds.ingest
  const { times, gap } = clocks.health
  const times99 = (role: Role) => quantile(clocks[role].times, 0.99)
  const most = (role: Role) => Math.max(quantile(clocks[role].times, 1), clocks[role].gap)
  const judged: [what: string, ms: number, bound: number, machine: number][] = [
    ...ingests.map(
      role =>
        [`99 % of ${role} within`, times99(role), ingest, times99('ruler write')] as [string, number, number, number]
    ),
    ['/health took', Math.max(gap, quantile(times, 1)), bounds.health, most('ruler')],
    ['99 % of /health within', times99('health'), bounds.healthMax, times99('ruler')]
  ]
  return judged
    .filter(([, ms, bound, machine]) => ms > bound + machine)
    .map(([what, ms, bound, machine]) => `${what} ${told(ms, bound, machine)}`)
}

function told(ms: number, bound: number, machine: number): string {
  return `${ms.toFixed(0)} ms, the bound is ${bound} and the ${machine.toFixed(0)} ms of a server that does nothing`
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`
}
