// Saved dashboards: a table in the private database, kept in memory as well.
import { randomBytes } from 'node:crypto'
import {
  authorise,
  DbError,
  isValid,
  type PluginCore,
  type RequestContext,
  type ResultBatch,
  serialQueue,
  systemDatabase
} from '../../../core/index.ts'
import type { BoardFacts } from './facts.ts'
import { shippedBoards } from './shipped.ts'
import { boardColumns, boardTable, boardWrite } from './table.ts'

interface BoardOptions {
  readonly max_dashboards: number
  /** Bytes. */
  readonly max_dashboard_size: number
}

export interface Board extends BoardFacts {
  /** Milliseconds since 1970. */
  readonly created: number
  /** The panels as JSON text; only the page in the browser interprets it. */
  readonly document: string
}

/** A dashboard as a user saves it. */
export interface BoardDraft {
  readonly title: string
  readonly shared: boolean
  readonly document: string
}

export interface Boards {
  /** Throws DbError `InvalidArguments` with status 413 for a document of so many bytes, of which some may be `others`. */
  checkSize(bytes: number, others?: number): void
  /** The dashboards the user may see, sorted by title. */
  list(ctx: RequestContext): readonly BoardFacts[]
  /** Throws DbError with status 404. */
  find(ctx: RequestContext, id: string): Board
  create(ctx: RequestContext, draft: BoardDraft): Promise<Board>
  /** Throws DbError with status 409 if `revision` is not the current one: another user has changed the dashboard. */
  change(ctx: RequestContext, id: string, revision: number, draft: BoardDraft): Promise<Board>
  remove(ctx: RequestContext, id: string): Promise<void>
}

/** Loads all saved dashboards. Reads are answered from memory, changes go to the table first. */
export async function openBoards(core: PluginCore, options: BoardOptions): Promise<Boards> {
  const shipped = shippedBoards(core.store.dialect)
  const known = new Map<string, Board>(shipped.map(board => [board.id, board]))
  for (const board of await readAll(core)) known.set(board.id, board)
  const refused = core.metrics.counter(
    'svc_dashboard_refused_total',
    'Refused changes of saved dashboards: `limit` reached, `conflict` with another change, or the dashboard is `shipped` with the server.',
    ['reason']
  )
  const refuse = (reason: 'limit' | 'conflict' | 'shipped', message: string, status: number): DbError => {
    refused.add(1, { reason })
    return new DbError('InvalidArguments', message, { status })
  }
  // Changes run one after another, so that each sees the result of the previous ones.
  const serially = serialQueue()
  const find = ({ user }: RequestContext, id: string): Board => {
    const board = known.get(id)
    if (board !== undefined && (board.shared || board.owner === user.name)) return board
    throw new DbError('InvalidArguments', `there is no dashboard ${id}`, { status: 404 })
  }
  const checkSize = (size: number, others = 0) => {
    const max = options.max_dashboard_size
    if (size <= max + others) return
    const limit = `at most ${max} (plugins.dashboard.max_dashboard_size)`
    throw refuse('limit', `the dashboard has ${size} bytes, ${limit}`, 413)
  }
  const changeable = (ctx: RequestContext, id: string): Board => {
    const board = find(ctx, id)
    if (!board.shipped) return board
    throw refuse('shipped', `the dashboard ${id} comes with the server: save a copy of it`, 400)
  }
  const write = (board: Board, op: 'put' | 'delete') => core.system.write(core.plugin, [boardWrite(board, op)])
  return {
    checkSize,
    list: ({ user }) =>
      [...known.values()]
        .filter(({ shared, owner }) => shared || owner === user.name)
        .map(({ document: _, created: __, ...facts }) => facts)
        .sort((a, b) => (a.title < b.title ? -1 : a.title > b.title ? 1 : a.id < b.id ? -1 : 1)),
    find,
    create(ctx, draft) {
      authorise(ctx.user, 'write')
      checkSize(Buffer.byteLength(draft.document))
      return serially(async () => {
        if (known.size - shipped.length >= options.max_dashboards) {
          const limit = `(plugins.dashboard.max_dashboards)`
          throw refuse('limit', `there are ${options.max_dashboards} dashboards already ${limit}`, 400)
        }
        const now = Date.now()
        const id = randomBytes(8).toString('hex')
        const facts = { id, owner: ctx.user.name, shipped: false, created: now, updated: now, revision: 1 }
        const board: Board = { ...draft, ...facts }
        await write(board, 'put')
        known.set(id, board)
        return board
      })
    },
    change(ctx, id, revision, draft) {
      authorise(ctx.user, 'write')
      checkSize(Buffer.byteLength(draft.document))
      return serially(async () => {
        const before = changeable(ctx, id)
        if (before.revision !== revision) {
          throw refuse('conflict', `${before.title} was changed meanwhile: load it again, or save a copy`, 409)
        }
        if (!draft.shared && before.owner !== ctx.user.name) {
          throw new DbError('PermissionDenied', `only its owner ${before.owner} may stop sharing ${before.title}`)
        }
        const board: Board = { ...before, ...draft, updated: Date.now(), revision: revision + 1 }
        await write(board, 'put')
        known.set(id, board)
        return board
      })
    },
    remove(ctx, id) {
      authorise(ctx.user, 'write')
      return serially(async () => {
        await write(changeable(ctx, id), 'delete')
        known.delete(id)
      })
    }
  }
}

async function readAll(core: PluginCore): Promise<Board[]> {
  const table = core.store.table(systemDatabase, boardTable)
  if (table === undefined) return []
  const ctx = core.context(systemDatabase)
  const result = await core.store.query(ctx, { kind: 'scan', table, columns: boardColumns })
  const indexes = boardColumns.map(name => result.columns.findIndex(column => column.name === name))
  const boards: Board[] = []
  for await (const batch of result.batches()) for (const board of readBatch(batch, indexes)) boards.push(board)
  return boards
}

function* readBatch({ rows, columns }: ResultBatch, indexes: readonly number[]): Iterable<Board> {
  for (let row = 0; row < rows; row++) {
    const [id, title, owner, shared, revision, updated, document, created] = indexes.map(index => {
      const { values, valid } = columns[index]!
      return isValid(valid, row) ? values[row] : undefined
    })
    yield {
      id: String(id),
      title: String(title ?? ''),
      owner: String(owner ?? ''),
      shared: shared === true || shared === 1,
      shipped: false,
      revision: Number(revision ?? 0),
      updated: Number(updated ?? 0),
      created: Number(created ?? 0),
      document: String(document ?? '{}')
    }
  }
}
