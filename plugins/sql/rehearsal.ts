// What a server asks of its SQL while it rests after its start: about an hour of a series it has, or about made-up rows.
import {
  type Core,
  convertTime,
  internalContext,
  type Rehearsal,
  type Table,
  type TimeUnit,
  timeUnit,
  unitsPerSecond
} from '../../core/index.ts'
import { quoteName } from './text/token.ts'

type Parts = Pick<Core, 'config' | 'log' | 'store'>

const database = 'public'
/** A table of more series takes longer to look at than it saves. */
const mostSeries = 1_000_000
/** To find one row, rows of this many milliseconds are looked at; all of them where they are no more than so many. */
const recent = 60_000
const mostLooked = 2_000_000
/** Seconds that are asked about, and rows of an answer. */
const range = 3_600n
const mostRows = 100

const madeUp = [
  "SELECT date_trunc('minute', moment) AS minute, max(value) AS top FROM (VALUES (TIMESTAMP '2024-01-01 00:00:30', 1.5)) made(moment, value) GROUP BY minute ORDER BY minute"
]

/** `time`: milliseconds of computing. */
export function createRehearsals(core: Parts, time: number): readonly Rehearsal[] {
  let statements: Promise<readonly string[]> | undefined
  return [
    {
      ready: Promise.resolve(),
      time,
      async path(turn) {
        statements ??= about(core)
        const known = await statements
        return `/v1/sql?${new URLSearchParams({ db: database, sql: known[turn % known.length]! })}`
      }
    }
  ]
}

async function about(core: Parts): Promise<readonly string[]> {
  const tables = core.store.tables(database).filter(table => isAsked(core, table))
  const [table] = tables.sort((a, b) => rows(core, b) - rows(core, a))
  return (table && (await statementsOf(core, table))) ?? madeUp
}

function isAsked({ store }: Parts, table: Table): boolean {
  const { rows = 0, series = Number.POSITIVE_INFINITY } = store.statistics(table)
  return rows > 0 && series <= mostSeries && tagOf(table) !== undefined && numbersOf(table).length > 0
}

function rows({ store }: Parts, table: Table): number {
  return store.statistics(table).rows ?? 0
}

function unitOf({ timeIndex }: Table): TimeUnit {
  return timeUnit(timeIndex.type as Parameters<typeof timeUnit>[0])
}

function tagOf({ columns }: Table): string | undefined {
  return columns.find(({ semantic, type }) => semantic === 'tag' && type === 'String')?.name
}

function numbersOf({ columns }: Table): string[] {
  const numbers = columns.filter(({ semantic, type }) => semantic === 'field' && /^U?Int\d+$|^Float\d+$/.test(type))
  return numbers.map(({ name }) => name)
}

async function statementsOf(core: Parts, table: Table): Promise<readonly string[] | undefined> {
  const from = convertTime(BigInt(Date.now() - recent), 'ms', unitOf(table))
  const found = await statementsSince(core, table, from)
  return found ?? (rows(core, table) <= mostLooked ? statementsSince(core, table) : undefined)
}

/** Undefined where no row has a value of the tag. */
async function statementsSince(core: Parts, table: Table, from?: bigint): Promise<readonly string[] | undefined> {
  const tag = tagOf(table)!
  const ctx = internalContext(core, 'sql', database)
  const scan = {
    kind: 'scan',
    table,
    columns: [tag, table.timeIndex.name],
    ...(from !== undefined && { from })
  } as const
  const result = await core.store.query(ctx, scan)
  try {
    for await (const batch of result.batches()) {
      const [value, at] = batch.columns.map(({ values }) => values[0])
      return typeof value === 'string' && typeof at === 'bigint' ? statementsAbout(table, tag, value, at) : undefined
    }
  } finally {
    result.close()
  }
  return undefined
}

function statementsAbout(table: Table, tag: string, value: string, from: bigint): readonly string[] {
  const time = quoteName(table.timeIndex.name)
  const ticks = unitsPerSecond[unitOf(table)]
  const source = quoteName(table.name)
  const where = `${quoteName(tag)} = '${value.replaceAll("'", "''")}' AND ${time} >= ${from} AND ${time} < ${from + range * ticks}`
  const [first, ...others] = numbersOf(table).slice(0, 5).map(quoteName)
  const byMinute = (names: readonly string[]) =>
    `SELECT date_trunc('minute', ${time}) AS minute, ${names.map(name => `max(${name})`).join(', ')} FROM ${source} WHERE ${where} GROUP BY minute ORDER BY minute LIMIT ${mostRows}`
  return [byMinute([first!]), byMinute([first!, ...others]), `SELECT * FROM ${source} WHERE ${where} LIMIT ${mostRows}`]
}
