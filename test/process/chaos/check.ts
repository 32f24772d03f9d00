// What a restarted server holds, against what the ledger says it must.
import type { Found, FoundPortion, Ledger } from './ledger.ts'
import { type Newest, newestTable } from './newest.ts'

const portionColumns = 'request, count(*), count(DISTINCT item), sum(length(note))'

/** The round that has just ended: its requests one by one, all others by their number. */
export async function checkRound(url: string, ledger: Ledger, newest: Newest): Promise<string[]> {
  const there = new Set((await ask(url, 'SHOW TABLES'))[0]!.map(([name]) => name))
  const tables = ledger.tables.filter(table => there.has(table))
  const found: Found = await findRound(url, tables, ledger.roundStart)
  const overwritten = there.has(newestTable) ? await ask(url, `SELECT sender, slot, request FROM ${newestTable}`) : [[]]
  return [...ledger.settle(found), ...newest.settle(overwritten[0] as number[][])]
}

/** Every request that was ever kept. */
export async function checkAll(url: string, ledger: Ledger): Promise<string[]> {
  const there = new Set((await ask(url, 'SHOW TABLES'))[0]!.map(([name]) => name))
  const problems: string[] = []
  for (const table of ledger.tables) {
    const rows = there.has(table) ? (await ask(url, `SELECT ${portionColumns} FROM ${table} GROUP BY request`))[0]! : []
    problems.push(...ledger.compare(table, toPortions(rows as number[][])))
  }
  return problems
}

async function findRound(url: string, tables: readonly string[], first: number): Promise<Found> {
  if (tables.length === 0) return new Map()
  const statements = tables.flatMap(table => [
    `SELECT count(*) FROM ${table}`,
    `SELECT ${portionColumns} FROM ${table} WHERE request >= ${first} GROUP BY request`
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
