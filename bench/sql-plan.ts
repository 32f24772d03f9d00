// What a SQL statement costs before it runs, in processor time of all threads: from its bytes to the text that is handed over, and the guard;
// beside it what DuckDB's own serialising of the text costs, which the guard begins with.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { loadConfig } from '../core/config/load.ts'
import { createCore } from '../core/create.ts'
import { internalContext, runAtOnce, type SqlQuery } from '../core/index.ts'
import { functionNames, guard } from '../core/storage/embedded/duckdb/guard.ts'
import { macroStatements } from '../core/storage/embedded/duckdb/macros/index.ts'
import { named } from '../core/storage/embedded/query/named.ts'
import { startService } from '../plugins/sql/service.ts'
import { planQuery } from '../plugins/sql/session.ts'
import { parseStatements } from '../plugins/sql/statement/parse.ts'
import { columns } from './fleet/corpus.ts'
import { type QuestionKind, questions } from './fleet/queries.ts'

const limits = {
  max_sql_length: 2 ** 20,
  max_sql_tokens: 50_000,
  delete_limit: 1,
  value_limit: 2 ** 26,
  tql_table_limit: 1
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { runs: { type: 'string', default: '300' } } })
  const runs = Number(values.runs)
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  const overrides = { storage: { data_home: folder }, logging: { append_stdout: false, max_log_files: 0 } }
  const core = await createCore(loadConfig({ overrides }).config, { folder, plugins: [] })
  const duckdb = await (await DuckDBInstance.create(':memory:')).connect()
  await duckdb.run(macroStatements())
  const service = startService(core, limits, {})
  const ctx = internalContext(core, 'bench', 'public')
  await core.store.createTable(ctx, { database: 'public', name: 'cpu', columns, options: {} }, 'refuse')
  const plan = async (sql: string) => {
    const [parsed] = runAtOnce(parseStatements(sql, limits.max_sql_tokens))
    return (await planQuery(service.session(ctx, sql), parsed!.tokens)).query
  }
  const kinds = questions(200, 8_640).map(kind => ({ ...kind, ...statements(kind, runs) }))
  const toldOf = ({ text, relations }: SqlQuery) => named(text, relations, [], () => '')
  const guarded = (query: SqlQuery) => {
    const { text, tables } = toldOf(query)
    return guard(duckdb, text, tables, () => functionNames(duckdb))
  }
  const serializer = await duckdb.prepare('SELECT json_serialize_sql($1::VARCHAR)')
  const serialized = async (query: SqlQuery) => {
    serializer.bindVarchar(1, toldOf(query).text)
    return (await serializer.run()).getChunk(0)
  }
  // All of them before any is measured: what the first one meets first is otherwise compiled in its time.
  for (const { texts, warm } of kinds) for (const text of [...texts, ...warm]) await guarded(await plan(text))
  console.log(
    'question                                     known shape   new shape       guard  serialised (ms of processor time)'
  )
  for (const { name, texts, renamed } of kinds) {
    const queries: SqlQuery[] = []
    const known = await processorTime(texts, async text => queries.push(await plan(text)))
    const fresh = await processorTime(renamed, plan)
    const checked = await processorTime(queries, guarded)
    const bare = await processorTime(queries, serialized)
    console.log([name.padEnd(44), ...[known, fresh, checked, bare].map(time => time.toFixed(2).padStart(11))].join(' '))
  }
  await service.close()
  await core.close()
  rmSync(folder, { recursive: true, force: true })
}

/** Statements of a kind, and the same with a common table more, whose name makes another tree of each. */
function statements({ make }: QuestionKind, runs: number) {
  const texts = Array.from({ length: runs }, (_, i) => make(i).sql)
  const other = (name: string) => texts.map((text, i) => `WITH ${name}${i} AS (SELECT 1) ${text}`)
  return { texts, warm: other('warm'), renamed: other('other') }
}

/** Milliseconds for each of them. */
async function processorTime<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  for (const item of items) await work(item)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / items.length
}
