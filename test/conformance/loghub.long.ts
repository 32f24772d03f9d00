// Real log files through stored pipelines and a kill, compared with tables of their parsed columns.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type ServerProcess, serverFolder, sql, startProcess } from '../process/server.ts'
import { material } from './material.ts'

const logs = material('data/loghub')

interface LogSet {
  /** Name of the pipeline; in lower case that of the table. */
  readonly name: string
  readonly folder: string
  /** Columns of the table that are compared. */
  readonly columns: readonly string[]
  readonly pipeline: string
  /** Milliseconds since 1970 of a row of the table, where the log has a whole time. */
  readonly time?: (row: Row) => number
  /** Which rows pass a filter that takes out those with one of these values. */
  readonly filter: { readonly field: string; readonly targets: readonly string[] }
  /** The lines are sent with colours, filtered, and have a digest. */
  readonly coloured?: true
}

type Row = Readonly<Record<string, string>>

const strings = (columns: readonly string[]) => `  - { fields: [${columns.join(', ')}], type: string }\n`

/** `when` is put together from the first two words of the line. */
const dateAndTime = (format: string) => `
  - dissect: { field: message, pattern: '%{+when} %{+when} %{?rest}' }
  - date: { field: when, formats: ['${format}'] }`

const sets: readonly LogSet[] = [
  {
    name: 'Apache',
    folder: 'Apache',
    filter: { field: 'Level', targets: ['NOTICE'] },
    columns: ['Time', 'Level', 'Content'],
    pipeline: `
processors:
  - dissect: { field: message, pattern: '[%{Time}] [%{Level}] %{Content}' }
  - date: { field: 'Time, when', formats: ['%a %b %d %H:%M:%S %Y'] }
transform:
${strings(['Time', 'Level', 'Content'])}
  - { field: when, type: 'time, ms', index: timestamp }
`,
    time: row => Date.parse(`${row.Time} UTC`)
  },
  {
    name: 'HDFS',
    folder: 'HDFS',
    filter: { field: 'Level', targets: ['info', 'debug'] },
    columns: ['Date', 'Time', 'Pid', 'Level', 'Component', 'Content'],
    pipeline: `
processors:
  - dissect: { field: message, pattern: '%{Date} %{Time} %{Pid} %{Level} %{Component}: %{Content}' }${dateAndTime('%y%m%d %H%M%S')}
transform:
${strings(['Date', 'Time', 'Level', 'Component', 'Content'])}
  - { field: Pid, type: int32 }
  - { field: when, type: 'time, ms', index: timestamp }
`,
    time: row => {
      const [year, month, day] = row.Date!.match(/../g)!
      const [hour, minute, second] = row.Time!.match(/../g)!
      return Date.UTC(2000 + Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
    }
  },
  {
    name: 'Spark',
    folder: 'Spark',
    filter: { field: 'Component', targets: ['storage.memorystore', 'executor.Executor'] },
    columns: ['Date', 'Time', 'Level', 'Component', 'Content'],
    pipeline: `
processors:
  - dissect: { field: message, pattern: '%{Date} %{Time} %{Level} %{Component}: %{Content}' }${dateAndTime('%y/%m/%d %H:%M:%S')}
transform:
${strings(['Date', 'Time', 'Level', 'Component', 'Content'])}
  - { field: when, type: 'time, ms', index: timestamp }
`,
    time: row => Date.parse(`20${row.Date!.replaceAll('/', '-')}T${row.Time}Z`)
  },
  {
    name: 'OpenSSH',
    folder: 'OpenSSH',
    filter: { field: 'Pid', targets: ['24200', '24455'] },
    columns: ['Date', 'Day', 'Time', 'Component', 'Pid', 'Content'],
    pipeline: `
processors:
  - dissect: { field: message, pattern: '%{Date} %{Day->} %{Time} %{Component} sshd[%{Pid}]: %{Content}' }
transform:
${strings(['Date', 'Time', 'Component', 'Content'])}
  - { fields: [Day, Pid], type: int32 }
`
  }
]

/** The presets of the digest below, in their order, as this test understands them. */
const digestSteps = [
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi,
  /\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?|\[[0-9a-f:]+\](?::\d+)?/gi,
  /["'][^"']*["']/g,
  /[({[<][^(){}[\]<>]*[)}\]>]/g,
  /\d+/g
]

/** The same set with more to do: colours to take away, lines to filter, a digest of the content. */
function coloured(set: LogSet): LogSet {
  const { field, targets } = set.filter
  const pipeline = set.pipeline.replace('processors:\n', 'processors:\n  - decolorize: { field: message }\n').replace(
    /\ntransform:\n/,
    `
  - digest: { field: Content, presets: [uuid, ip, quoted, bracketed, numbers] }
  - filter: { field: ${field}, targets: [${targets.map(target => `'${target}'`).join(', ')}] }
transform:
  - { field: Content_digest, type: string }
`
  )
  return { ...set, name: `${set.name}_coloured`, columns: [...set.columns, 'Content_digest'], pipeline, coloured: true }
}

const allSets = [...sets, ...sets.map(coloured)]

t.test('pipelines reproduce the columns of real logs, and a kill loses none', { skip: logs.skip }, async t => {
  const dir = serverFolder(t)
  let server = await startProcess(t, dir)
  for (const set of allSets) await load(server, set)
  await server.kill('SIGKILL')
  server = await startProcess(t, dir)
  for (const set of allSets) {
    const expected = readTable(set)
    const stored = await readStored(server, set)
    t.equal(stored.length, expected.length, `${set.name}: every line is there once`)
    if (set.coloured)
      t.ok(expected.length > 0 && expected.length < 2000, `${set.name}: ${expected.length} pass the filter`)
    const equal = countEqual(stored, expected)
    t.ok(equal >= expected.length * 0.995, `${set.name}: ${equal} of ${expected.length} rows equal in every column`)
  }
})

/** Lines of a set, of a thousand, that stand in a pattern with exactly the lines of one template of its table. */
const grouped = { Apache: 1000, HDFS: 995, Spark: 915, OpenSSH: 805 } as const

t.test('patterns of real logs are their templates', { skip: logs.skip }, async t => {
  const server = await startProcess(t, serverFolder(t))
  for (const set of sets) {
    await load(server, set)
    const ask = async (path: string, query: object) => {
      const body = JSON.stringify({ table: set.name.toLowerCase(), columns: ['Content'], ...query })
      return (await fetch(server.url + path, { method: 'POST', body })).json()
    }
    const { lines, others, patterns } = (await ask('/v1/logs/patterns', { limit: { fetch: 100 } })) as PatternsBody
    t.equal(lines, 2000)
    t.equal(others, 0, `${set.name}: ${patterns.length} patterns`)
    const rows = readRows(set)
    const templates = new Map(rows.map(row => [row['Content']!.trimEnd(), row['EventId']!]))
    const sizes = new Map<string, number>()
    for (const { EventId } of rows) sizes.set(EventId!, (sizes.get(EventId!) ?? 0) + 1)
    const equal = patterns.filter(({ count, examples: [line] }) => sizes.get(templates.get(line!.trimEnd())!) === count)
    const share = equal.reduce((sum, { count }) => sum + count, 0) / 2
    t.ok(share >= grouped[set.name as keyof typeof grouped], `${set.name}: ${share} of 1000 lines`)
    for (const { regex, count, pattern } of patterns) {
      const filters = { Single: { expr: { NamedIdent: 'Content' }, filters: [{ Regex: regex }] } }
      const { output } = (await ask('/v1/logs', { filters, limit: { fetch: 2000 } })) as RowsBody
      const found = output[0].records.rows.length
      t.ok(found >= count, `${set.name}: ${pattern} stands for ${count} lines and finds ${found}`)
    }
  }
})

interface RowsBody {
  readonly output: readonly [{ readonly records: { readonly rows: readonly unknown[] } }]
}

interface PatternsBody {
  readonly lines: number
  readonly others: number
  readonly patterns: readonly {
    readonly pattern: string
    readonly regex: string
    readonly count: number
    readonly examples: readonly string[]
  }[]
}

async function load(server: ServerProcess, set: LogSet): Promise<void> {
  const post = async (path: string, type: string, body: string) => {
    const response = await fetch(server.url + path, { method: 'POST', headers: { 'content-type': type }, body })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  }
  await post(`/v1/pipelines/${set.name}`, 'application/x-yaml', set.pipeline)
  const file = readFileSync(join(logs.path, set.folder, `${set.folder}_2k.log`), 'utf8')
  const body = set.coloured ? file.replaceAll(' ', ' \u001b[1;31m').replaceAll('\n', '\u001b[0m\n') : file
  await post(`/v1/ingest?db=public&table=${set.name.toLowerCase()}&pipeline_name=${set.name}`, 'text/plain', body)
}

/** Rows as texts, one per row: the compared columns and the time. */
async function readStored(server: ServerProcess, set: LogSet): Promise<string[]> {
  const columns = [...set.columns, ...(set.time ? ['when'] : [])].map(name => `"${name}"`)
  const rows = await sql(server, `SELECT ${columns.join(', ')} FROM ${set.name.toLowerCase()}`)
  return rows.map(row => row.map(value => String(value).trimEnd()).join('\u0001'))
}

/** The table of a set, as it is. */
function readRows({ folder }: LogSet): Row[] {
  const [header, ...rows] = parseCsv(readFileSync(join(logs.path, folder, `${folder}_2k.log_structured.csv`), 'utf8'))
  return rows.map(cells => Object.fromEntries(header!.map((name, i) => [name, cells[i]!])))
}

function readTable(set: LogSet): string[] {
  const wanted = readRows(set).map((row): Row => {
    return { ...row, Content_digest: digestSteps.reduce((text, step) => text.replace(step, ''), row['Content']!) }
  })
  const targets = set.filter.targets.map(target => target.toLowerCase())
  const kept = set.coloured ? wanted.filter(row => !targets.includes(row[set.filter.field]!.toLowerCase())) : wanted
  return kept.map(row => {
    const values = set.columns.map(name => row[name]!.trimEnd())
    return [...values, ...(set.time ? [String(set.time(row))] : [])].join('\u0001')
  })
}

/** How many of the expected rows are there, each counted as often as it is expected. */
function countEqual(stored: readonly string[], expected: readonly string[]): number {
  const left = new Map<string, number>()
  for (const row of stored) left.set(row, (left.get(row) ?? 0) + 1)
  return expected.filter(row => {
    const count = left.get(row) ?? 0
    if (count > 0) left.set(row, count - 1)
    return count > 0
  }).length
}

function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain!)
    if (end === ',') continue
    if (row.length > 1) rows.push(row)
    row = []
  }
  return rows
}
