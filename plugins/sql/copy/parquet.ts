// The rows of a query as a Parquet file: written by the engine, read while it is sent, gone afterwards.
import { randomUUID } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { authorise, DbError, isDbError, parquetTakes, type RecordsAnswer, watchQuery } from '../../../core/index.ts'
import { planQuery, queryColumns, readRows, runPlan, type Session } from '../session.ts'
import type { Parsed } from '../statement/parse.ts'
import { quoteName } from '../text/token.ts'

/** The answer to one query that nobody has run: it is run when its file is asked for. Throws `InvalidArguments` for anything else. */
export function fileAnswer(session: Session, statements: readonly Parsed[], limit?: number): RecordsAnswer {
  const [parsed] = statements
  if (statements.length !== 1 || parsed?.statement.kind !== 'query') throw parquetTakes()
  return { kind: 'records', columns: [], async *batches() {}, file: () => parquetOf(session, parsed, limit) }
}

/** The file loses its name before it is read, so that nothing stays when the client leaves. */
async function parquetOf(session: Session, { tokens }: Parsed, limit?: number): Promise<Readable> {
  authorise(session.ctx.user, 'read')
  const columns = await queryColumns(session, tokens)
  await mkdir(session.exportFolder, { recursive: true })
  const file = join(session.exportFolder, `answer-${randomUUID()}.parquet.tmp`)
  const names = columns.map(({ name }) => quoteName(name)).join(', ')
  const most = limit === undefined ? '' : ` LIMIT ${limit}`
  const target = { path: file, options: 'FORMAT parquet, COMPRESSION zstd' }
  const planned = await planQuery(session, tokens, 'SELECT * FROM (', `) AS answer(${names})${most}`)
  const plan = { ...planned, query: { ...planned.query, target } }
  try {
    const text = session.sql.slice(tokens[0]!.start, tokens.at(-1)!.end)
    await watchQuery(session.slowQueries, session.ctx, text, async () => {
      await readRows(await runPlan(session, plan))
      return { kind: 'affected', rows: 0 }
    })
    const handle = await open(file)
    return handle.createReadStream({ highWaterMark: 1 << 20 })
  } catch (error) {
    if (!isDbError(error)) throw error
    throw new DbError(error.code, error.message.replaceAll(file, 'the Parquet file'), { cause: error })
  } finally {
    await rm(file, { force: true })
  }
}
