// What `live` and `scale` print, as values.

export interface Latency {
  readonly median: number
  readonly p95: number
}

/** What `npm run bench -- live` printed. */
export interface LiveOutput {
  /** By state: of each query the times of each server, in milliseconds. */
  readonly states: ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, Latency>>>
  /** By server: MB at the end and at most. */
  readonly memory: ReadonlyMap<string, { readonly end: number; readonly most: number }>
}

/** Throws where it is no such output. */
export function readLive(text: string): LiveOutput {
  const states = new Map<string, Map<string, Map<string, Latency>>>()
  const memory = new Map<string, { end: number; most: number }>()
  let queries: Map<string, Map<string, Latency>> | undefined
  for (const line of text.split('\n')) {
    const state = /^(\S.*) \(\d+ rounds\)$/.exec(line)
    if (state !== null) {
      queries = new Map()
      states.set(state[1]!, queries)
    }
    const times = line.matchAll(/(\S+) ([\d.]+) \((\d+)\)/g)
    const row = /^ {2}(\S.{23}) /.exec(line)
    if (row !== null && queries !== undefined) {
      const found = Array.from(
        times,
        ([, server, median, p95]) => [server!, { median: Number(median), p95: Number(p95) }] as const
      )
      if (found.length > 0) queries.set(row[1]!.trim(), new Map(found))
    }
    const sizes = /^(\S+) resident MB (\d+) at most (\d+)$/.exec(line)
    if (sizes !== null) memory.set(sizes[1]!, { end: Number(sizes[2]), most: Number(sizes[3]) })
  }
  if (states.size === 0 || memory.size === 0) throw new Error('no output of `npm run bench -- live`')
  return { states, memory }
}

/** One server's part of what `npm run bench -- scale` printed. */
export interface ScaleRun {
  readonly server: string
  /** Thousand samples a second, and milliseconds; absent where nothing was loaded. */
  readonly loaded?: { readonly rate: number; readonly slowest: number; readonly memory: number; readonly disk: number }
  /** Milliseconds. */
  readonly queries: ReadonlyMap<string, { readonly first: number; readonly later: number }>
  /** MB at most. */
  readonly memory: number
  readonly isRestarted: boolean
}

/** Throws where it is no such output. */
export function readScale(text: string): readonly ScaleRun[] {
  const runs: ScaleRun[] = []
  let server = 'weir'
  let isRestarted = false
  let loaded: ScaleRun['loaded']
  let queries = new Map<string, { first: number; later: number }>()
  for (const line of text.split('\n')) {
    const rate =
      /^(\S+): (\d+) k samples\/s, \d+ refused, slowest request (\d+) ms, resident \d+ MB, peak (\d+) MB, disk (\d+) MB$/.exec(
        line
      )
    if (rate !== null) {
      const [, name, ...numbers] = rate
      const [perSecond, slowest, memory, disk] = numbers.map(Number) as [number, number, number, number]
      server = name!
      isRestarted = false
      loaded = { rate: perSecond, slowest, memory, disk }
    }
    if (line === 'after a restart') isRestarted = true
    const query = /^ {2}(\S.*?) +first ([\d.]+) ms, then ([\d.]+) ms/.exec(line)
    if (query !== null) queries.set(query[1]!, { first: Number(query[2]), later: Number(query[3]) })
    const end = /^resident \d+ MB, peak (\d+) MB$/.exec(line)
    if (end === null) continue
    runs.push({ server, ...(loaded && { loaded }), queries, memory: Number(end[1]), isRestarted })
    loaded = undefined
    queries = new Map()
  }
  if (runs.length === 0) throw new Error('no output of `npm run bench -- scale`')
  return runs
}

/** What `npm run bench -- logs-questions` printed of one number of lines. */
export interface LogQuestions {
  /** As it is written. */
  readonly lines: string
  /** States, then others. */
  readonly columns: readonly string[]
  /** Cells of each question, one for each column. */
  readonly questions: ReadonlyMap<string, readonly string[]>
}

/** Throws where it is no such output. */
export function readLogQuestions(text: string): readonly LogQuestions[] {
  const runs: (LogQuestions & { readonly questions: Map<string, readonly string[]> })[] = []
  for (const line of text.split('\n')) {
    const [head, ...cells] = line.trim().split(/ {2,}/)
    const title = /^([\d,]+) lines, ms: /.exec(head!)
    if (title !== null) runs.push({ lines: title[1]!, columns: cells, questions: new Map() })
    else if (line.startsWith('  ') && cells.length > 0) runs.at(-1)?.questions.set(head!, cells)
  }
  const isWhole = ({ columns, questions }: LogQuestions) =>
    questions.size > 0 && [...questions.values()].every(cells => cells.length === columns.length)
  if (runs.length === 0 || !runs.every(isWhole)) throw new Error('no output of `npm run bench -- logs-questions`')
  return runs
}
