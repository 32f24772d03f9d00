// The parts of an expression, each with the series it has at the end of the time: where they come from, and where they get lost.
import { parser } from '@prometheus-io/lezer-promql'
import { queryAt } from '../../api/promql.ts'
import { Problem } from '../../components/problem.tsx'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { currentSpan, timeWords } from '../../time.ts'
import { countOf } from '../../words.ts'

/** Parts that are counted at most. */
const maxParts = 40

interface Part {
  readonly text: string
  readonly depth: number
  /** A range selector, which is no instant vector by itself. */
  readonly isRange: boolean
}

const shown = new Set([
  'AggregateExpr',
  'BinaryExpr',
  'FunctionCall',
  'VectorSelector',
  'MatrixSelector',
  'SubqueryExpr'
])

export function Parts({ expression }: { readonly expression: string }) {
  const { value, error } = useLoaded(
    async signal => {
      const at = currentSpan().to / 1000
      return Promise.all(
        partsOf(expression).map(async part => ({ ...part, count: await countOfPart(part, at, signal) }))
      )
    },
    [expression, database.value, timeWords.value]
  )
  return (
    <section class="card stack" aria-label="Parts of the expression">
      <h2>Parts</h2>
      {error !== undefined && <Problem error={error} />}
      <ol class="parts mono">
        {(value ?? []).map(({ text, depth, count }, i) => (
          <li key={i} style={{ paddingLeft: `${depth * 18}px` }}>
            <span>{text}</span> <span class="quiet">{count}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}

async function countOfPart({ text, isRange }: Part, time: number, signal: AbortSignal): Promise<string> {
  try {
    const { type, series } = await queryAt(isRange ? `count(last_over_time(${text}))` : `count(${text})`, time, {
      signal
    })
    return type === 'scalar' ? '' : countOf(series[0]?.values[0] ?? 0, 'series', 'series')
  } catch (error) {
    if (signal.aborted) throw error
    // A number or a text has no series to count.
    return /expected type/.test(String(error)) ? 'a number' : 'not counted'
  }
}

function partsOf(expression: string): readonly Part[] {
  const parts: Part[] = []
  const walk = (node: ReturnType<typeof parser.parse>['topNode'], depth: number) => {
    const isPart = shown.has(node.name)
    const text = expression.slice(node.from, node.to).trim()
    const isRange = node.name === 'MatrixSelector' || node.name === 'SubqueryExpr'
    if (isPart && parts.length < maxParts) parts.push({ text, depth, isRange })
    // The selector in front of [5m] is not listed a second time.
    if (node.name === 'MatrixSelector') return
    for (let child = node.firstChild; child !== null; child = child.nextSibling) walk(child, depth + (isPart ? 1 : 0))
  }
  walk(parser.parse(expression).topNode, 0)
  return parts
}
