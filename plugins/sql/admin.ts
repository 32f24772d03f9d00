// ADMIN functions and KILL.
import { DbError, type RecordsAnswer, type Table } from '../../core/index.ts'
import { lookUpTable } from './catalog/name.ts'
import { rowsAnswer } from './catalog/rows.ts'
import { invalid, unsupported } from './error.ts'
import { flushFlow } from './flow/flow.ts'
import type { Session } from './session.ts'
import type { Statement } from './statement/statement.ts'
import { tokenize } from './text/token.ts'

type Admin = Extract<Statement, { kind: 'admin' }>

/** One row with one number, in a column named after the statement. */
export async function admin(session: Session, { call, args, text }: Admin): Promise<RecordsAnswer> {
  const run = Object.hasOwn(functions, call) ? functions[call] : undefined
  if (run === undefined) {
    throw unsupported(`ADMIN ${call} is not supported, there are ${Object.keys(functions).join(', ')}`)
  }
  return rowsAnswer([[text, 'UInt64']], [[await run(session, args, call)]])
}

type Run = (session: Session, args: readonly string[], call: string) => Promise<bigint>

const functions: Readonly<Record<string, Run>> = {
  flush: (session, args, call) => {
    requireCount(call, args, 0)
    return maintain(session, 'flush')
  },
  flush_table: (session, args, call) => {
    requireCount(call, args, 1)
    return maintain(session, 'flush', tableNamed(session, args[0]!))
  },
  compact_table: (session, args, call) => {
    requireCount(call, args, 1, 3)
    checkKind(args[1])
    return maintain(session, 'compact', tableNamed(session, args[0]!))
  },
  flush_region: (session, args, call) => {
    requireCount(call, args, 1)
    return maintain(session, 'flush', tableOfRegion(session, args[0]!))
  },
  compact_region: (session, args, call) => {
    requireCount(call, args, 1, 3)
    checkKind(args[1])
    return maintain(session, 'compact', tableOfRegion(session, args[0]!))
  },
  flush_flow: (session, args, call) => {
    requireCount(call, args, 1)
    return flushFlow(session, args[0]!)
  },
  kill: async (session, args, call) => {
    requireCount(call, args, 1)
    return BigInt(await kill(session, args[0]!))
  }
}

async function maintain({ store, ctx }: Session, kind: 'flush' | 'compact', table?: Table): Promise<bigint> {
  await store.maintain(ctx, { kind, ...(table && { table }) })
  return 0n
}

/** Ends a request. Returns one. */
export async function kill({ processes, ctx }: Session, id: string): Promise<number> {
  const found = processes.list().find(process => process.id === id)
  const allowed =
    found !== undefined &&
    ((ctx.user.mode === 'rw' && ctx.user.databases === undefined) || found.user === ctx.user.name)
  if (!allowed || !processes.kill(id)) throw invalid(`no query with the id ${id} is running`)
  return 1
}

function requireCount(call: string, args: readonly string[], min: number, max = min): void {
  if (args.length >= min && args.length <= max) return
  const wanted = min === max ? String(min) : `${min} to ${max}`
  throw invalid(`ADMIN ${call} takes ${wanted} arguments, got ${args.length}`)
}

/** There is one way to compact; other servers have two. */
function checkKind(kind: string | undefined): void {
  if (kind === undefined || kind === 'regular' || kind === 'strict_window' || kind === 'swcs') return
  throw invalid(`unknown kind of compaction ${kind}, expected regular or strict_window`)
}

function tableNamed({ store, ctx }: Session, text: string): Table {
  const name = tokenize(text).flatMap(({ kind, value }) =>
    kind === 'symbol' ? [] : [{ text: value, quoted: kind === 'quoted' }]
  )
  const table = name.length > 0 ? lookUpTable(store, ctx.db, name) : undefined
  if (table === undefined) throw new DbError('TableNotFound', `Table not found: ${text}`)
  return table
}

/** A table is one region here, with the table's number. */
function tableOfRegion({ store }: Session, id: string): Table {
  const tables = store.databases().flatMap(database => store.tables(database.name))
  const table = tables.find(each => String(each.id) === id)
  if (table === undefined) throw invalid(`there is no region ${id}`)
  return table
}
