// EXPLAIN: the engine's plan, without what it tells of files and of the text that really ran.
import type { RecordsAnswer } from '../../../core/index.ts'
import { rowsAnswer } from '../catalog/rows.ts'
import { readRows, runQuery, type Session } from '../session.ts'
import type { ExplainStatement } from '../statement/statement.ts'

interface PlanNode {
  readonly operator_name?: string
  readonly operator_cardinality?: number
  readonly operator_timing?: number
  readonly children?: readonly PlanNode[]
}

/** `plan_type` and `plan`; with ANALYZE the query runs, and there is a row per operator. */
export async function explain(session: Session, { analyze, json, query }: ExplainStatement): Promise<RecordsAnswer> {
  if (!analyze) {
    const prefix = json ? 'EXPLAIN (FORMAT JSON) ' : 'EXPLAIN '
    const rows = await readRows(await runQuery(session, query.tokens, prefix))
    return rowsAnswer(
      ['plan_type', 'plan'],
      rows.map(([type, plan]) => [type, json ? JSON.stringify(clean(JSON.parse(String(plan)))) : plan])
    )
  }
  const rows = await readRows(await runQuery(session, query.tokens, 'EXPLAIN (ANALYZE, FORMAT JSON) '))
  const profile = clean(JSON.parse(String(rows[0]?.[1] ?? '{}'))) as PlanNode
  const plans = json ? [JSON.stringify(profile)] : (profile.children ?? []).flatMap(node => describe(node, 0))
  const number = 'UInt32'
  return rowsAnswer(
    [['stage', number], ['node', number], 'plan'],
    plans.map((plan, i) => [0, i, plan])
  )
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
  const milliseconds = ((node.operator_timing ?? 0) * 1000).toFixed(3)
  const line = `${'  '.repeat(depth)}${node.operator_name?.trim() ?? ''} rows=${node.operator_cardinality ?? 0} ms=${milliseconds}`
  return [line, ...below]
}
