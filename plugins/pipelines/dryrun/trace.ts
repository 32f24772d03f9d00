// Writes down what each processor makes of the items of a run.
import { type ItemBatch, type ItemError, itemState, writeJson } from '../../../core/compute.ts'
import type { RunObserver } from '../run/run.ts'

interface Trace {
  readonly observer: RunObserver
  /** JSON text: per item what came in, the record after each step, and why the item failed where it did. */
  text(errors: readonly ItemError[]): string
}

interface TracedItem {
  readonly index: number
  /** JSON texts. */
  readonly input: string
  readonly steps: string[]
}

/** Records the items before the run. */
export function createTrace(items: ItemBatch): Trace {
  const traced = new Map<number, TracedItem>()
  for (let row = 0; row < items.rows; row++) {
    const index = items.position(row)
    const input = items.isLive(row) ? writeJson(items.item(row)) : 'null'
    traced.set(index, { index, input, steps: [] })
  }
  const note = (batch: ItemBatch, row: number, step: string) => traced.get(batch.position(row))?.steps.push(step)
  return {
    observer: {
      stepped(batch, { kind, where }, rows) {
        const head = `"kind":${JSON.stringify(kind)},"where":${JSON.stringify(where)}`
        const reasons = new Map(batch.failures.map(({ row, message }) => [row, message]))
        for (const row of withMade(batch, rows)) note(batch, row, `{${head},${outcome(batch, row, reasons)}}`)
      },
      dispatched(batch, { rule, rows }, table) {
        const next = JSON.stringify(rule.pipeline ?? 'svc_identity')
        const step = `{"kind":"dispatcher","where":${JSON.stringify(rule.where)},"pipeline":${next},"table_name":${JSON.stringify(table)}}`
        for (const row of rows) note(batch, row, step)
      }
    },
    text(errors) {
      const failed = new Map(errors.map(({ index, message }) => [index, message]))
      const texts = Array.from(traced.values(), ({ index, input, steps }) => {
        const message = failed.get(index)
        const error = message === undefined ? '' : `,"error":${JSON.stringify(message)}`
        return `{"index":${index},"input":${input},"steps":[${steps.join()}]${error}}`
      })
      return `[${texts.join()}]`
    }
  }
}

/** The rows and those that the processor has just made of them, each behind the row it comes from. */
function withMade(batch: ItemBatch, rows: Uint32Array): number[] {
  if (batch.origins === undefined) return [...rows]
  const known = new Set(rows)
  const sources = new Set(Array.from(rows, row => batch.origin(row)))
  const made: number[] = []
  const first = rows.length === 0 ? batch.rows : rows.reduce((last, row) => Math.max(last, row)) + 1
  for (let row = first; row < batch.rows; row++) if (!known.has(row) && sources.has(batch.origin(row))) made.push(row)
  return [...rows, ...made].sort((a, b) => batch.origin(a) - batch.origin(b) || a - b)
}

function outcome(batch: ItemBatch, row: number, reasons: ReadonlyMap<number, string>): string {
  if (batch.states[row] === itemState.live) return `"record":${writeJson(batch.item(row))}`
  if (batch.states[row] === itemState.dropped) return '"dropped":true'
  return `"error":${JSON.stringify(reasons.get(row) ?? '')}`
}
