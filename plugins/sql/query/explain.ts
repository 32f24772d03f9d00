// EXPLAIN: the engine's plan, without what it tells of files and of the text that really ran.
import type { PartRead, RecordsAnswer } from '../../../core/index.ts'
import { rowsAnswer } from '../catalog/rows.ts'
import { unsupported } from '../error.ts'
import { readRows, runQuery, type Session } from '../session.ts'
import type { ExplainStatement } from '../statement/statement.ts'

interface PlanNode {
  /** Of a plan, and of one that ran. */
  readonly name?: string
  readonly operator_name?: string
  readonly operator_cardinality?: number
  readonly operator_timing?: number
  readonly extra_info?: Readonly<Record<string, unknown>>
  readonly children?: readonly PlanNode[]
}

/** `plan_type` and `plan`; with ANALYZE the query runs, and there is a row per operator. How the parts of its tables are read follows. */
export async function explain(session: Session, statement: ExplainStatement): Promise<RecordsAnswer> {
  if (session.store.dialect.name !== 'duckdb') return explainForeign(session, statement)
  const { analyze, json, query } = statement
  const ask = async (options: string) => {
    const answer = await runQuery(session, query.tokens, `EXPLAIN (${options}FORMAT JSON) `)
    const rows = await readRows(answer)
    const plan = clean(JSON.parse(String(rows[0]?.[1] ?? '{}'))) as PlanNode | readonly PlanNode[]
    return { plan, parts: answer.reading?.() ?? [] }
  }
  const { plan: ran, parts } = await ask(analyze ? 'ANALYZE, ' : '')
  // Of a query that statistics of files answer nothing runs, and the engine has no profile: its plan says so.
  const tree = 'result' in ran ? (await ask('')).plan : ran
  const nodes = Array.isArray(tree) ? tree : ((tree as PlanNode).children ?? [])
  const plan = json ? [JSON.stringify(tree)] : nodes.flatMap(node => describe(node, 0))
  const reading = json ? [JSON.stringify(parts)] : describeReading(parts)
  if (!analyze) {
    const lines = json ? { plan, reading } : { plan: [plan.join('\n')], reading }
    return rowsAnswer(
      ['plan_type', 'plan'],
      [...lines.plan.map(line => ['physical_plan', line]), ...lines.reading.map(line => ['reading', line])]
    )
  }
  return stagesAnswer(plan, reading)
}

/** What ANALYZE answers: a row for each line of each stage. */
export function stagesAnswer(...stages: readonly (readonly string[])[]): RecordsAnswer {
  const number = 'UInt32'
  return rowsAnswer(
    [['stage', number], ['node', number], 'plan'],
    stages.flatMap((lines, stage) => lines.map((line, node) => [stage, node, line]))
  )
}

/** The plan as the engine of another dialect tells it. */
async function explainForeign(session: Session, { analyze, json, query }: ExplainStatement): Promise<RecordsAnswer> {
  if (analyze || json) {
    const what = analyze ? 'EXPLAIN ANALYZE' : 'EXPLAIN FORMAT JSON'
    throw unsupported(`${what} is not possible with the storage engine ${session.store.engineName}`)
  }
  const rows = await readRows(await runQuery(session, query.tokens, 'EXPLAIN'))
  return rowsAnswer(['plan_type', 'plan'], [['physical_plan', rows.map(([line]) => String(line)).join('\n')]])
}

/** A line for each file and memtable. */
export function describeReading(parts: readonly PartRead[]): string[] {
  return parts.map(({ table, part, path, reason, rows, bytes, sorted, groups, pages }) => {
    const facts = [
      `rows=${rows} bytes=${bytes}`,
      ...(sorted === undefined ? [] : [`sorted=${sorted}`]),
      ...(groups ? [`row_groups=${groups.read} pruned=${groups.pruned}`] : []),
      ...(pages ? [`page_hits=${pages.hits} page_misses=${pages.misses}`] : [])
    ]
    return `${table} ${part}: ${path}, ${reason}; ${facts.join(' ')}`
  })
}

const secret = new Set(['query_name', 'Filename(s)'])

function clean(plan: unknown): unknown {
  if (Array.isArray(plan)) return plan.map(clean)
  if (typeof plan !== 'object' || plan === null) return plan
  const kept = Object.entries(plan).filter(([key]) => !secret.has(key))
  return Object.fromEntries(kept.map(([key, value]) => [key, clean(value)]))
}

function describe(node: PlanNode, depth: number): string[] {
  const below = (node.children ?? []).flatMap(child => describe(child, depth + 1))
  const name = (node.operator_name ?? node.name ?? '').trim()
  const cost =
    node.operator_timing === undefined
      ? Object.entries(node.extra_info ?? {}).map(([key, value]) => ` ${key}: ${[value].flat().join(', ')};`)
      : [` rows=${node.operator_cardinality ?? 0} ms=${(node.operator_timing * 1000).toFixed(3)}`]
  return [`${'  '.repeat(depth)}${name}${cost.join('')}`, ...below]
}
