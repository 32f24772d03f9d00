// Compares the rows of a restarted server with the ledger.
import type { Found, FoundPortion, Ledger } from './ledger.ts'
import type { Newest } from './newest.ts'

/** By table its columns that hold notes. */
type Notes = ReadonlyMap<string, readonly string[]>

/** The statement that gives the portions of the requests from `first` on. */
function selectPortions(notes: Notes, table: string, first = 0): string {
  const isSamples = table.startsWith('chaos_samples')
  const lengths = isSamples ? [] : (notes.get(table) ?? []).map(name => `coalesce(length("${name}"), 0)`)
  const columns = `request, count(*), count(DISTINCT item), sum(${['0', ...lengths].join(' + ')})`
  return `SELECT ${columns} FROM ${source(table)} WHERE request >= ${first} GROUP BY request`
}

/** A table whose columns have the names all tables have. */
function source(table: string): string {
  if (table.startsWith('chaos_samples')) {
    return `(SELECT CAST(svc_value AS BIGINT) AS request, item FROM ${table}) AS samples`
  }
  if (table === 'chaos_pushed') return `(SELECT CAST(request AS BIGINT) AS request, item, line FROM ${table}) AS pushed`
  if (table !== 'chaos_spans') return table
  return `(SELECT *, "span_attributes.request" AS request, "span_attributes.item" AS item FROM ${table}) AS spans`
}

/** The round that has just ended: its requests one by one, all others by their number. */
export async function checkRound(url: string, ledger: Ledger, overwritten: readonly Newest[]): Promise<string[]> {
  const notes = await findNotes(url)
  const found: Found = await findRound(url, notes, ledger)
  const problems = ledger.settle(found)
  for (const newest of overwritten) {
    const rows = notes.has(newest.table) ? await ask(url, `SELECT sender, slot, request FROM ${newest.table}`) : [[]]
    problems.push(...newest.settle(rows[0] as number[][]))
  }
  return problems
}

/** Every request that was ever kept. */
export async function checkAll(url: string, ledger: Ledger): Promise<string[]> {
  const notes = await findNotes(url)
  const problems: string[] = []
  for (const table of ledger.tables) {
    const rows = notes.has(table) ? (await ask(url, selectPortions(notes, table)))[0]! : []
    problems.push(...ledger.compare(table, toPortions(rows as number[][])))
  }
  return problems
}

/** Every table that is there. */
async function findNotes(url: string): Promise<Notes> {
  const columns = `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'`
  const rows = (await ask(url, columns))[0] as [string, string][]
  const byTable = Map.groupBy(rows, ([table]) => table)
  return new Map(
    [...byTable].map(([table, rows]) => [
      table,
      rows.map(([, name]) => name).filter(name => /^(span_attributes\.)?note|^line$/.test(name))
    ])
  )
}

async function findRound(url: string, notes: Notes, ledger: Ledger): Promise<Found> {
  const tables = ledger.tables.filter(table => notes.has(table))
  if (tables.length === 0) return new Map()
  const statements = tables.flatMap(table => [
    `SELECT count(*) FROM ${table}`,
    selectPortions(notes, table, ledger.roundStart)
  ])
  const answers = await ask(url, statements.join('; '))
  return new Map(
    tables.map((table, i) => {
      const [[total]] = answers[i * 2] as [[number]]
      return [table, { total, requests: toPortions(answers[i * 2 + 1] as number[][]) }]
    })
  )
}

function toPortions(rows: readonly number[][]): Map<number, FoundPortion> {
  return new Map(
    rows.map(([request, rows, distinctItems, characters]) => [
      request!,
      { rows: rows!, distinctItems: distinctItems!, characters: characters! }
    ])
  )
}

/** The rows of each statement. */
export async function ask(url: string, statements: string): Promise<unknown[][][]> {
  const response = await fetch(`${url}/v1/sql`, { method: 'POST', body: new URLSearchParams({ sql: statements }) })
  const body = (await response.json()) as { output?: { records?: { rows: unknown[][] } }[]; error?: string }
  if (response.status !== 200) throw new Error(`${statements.slice(0, 200)}: ${response.status} ${body.error}`)
  return body.output!.map(({ records }) => records?.rows ?? [])
}
