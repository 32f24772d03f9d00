// Similar lines as patterns with their counts, beside those of another time where one is compared with.
import { Fragment } from 'preact'
import { useMemo } from 'preact/hooks'
import { type LogSelection, queryPatterns } from '../../api/logs.ts'
import { Problem } from '../../components/problem.tsx'
import { TableHead } from '../../components/table-head.tsx'
import type { LogTable } from '../../log-tables.ts'
import { change } from '../../router.ts'
import { useLoaded } from '../../task.ts'
import { formatTime, showSpan, type TimeSpan } from '../../time.ts'
import { timeFilter } from '../../time-filter.ts'
import { countOf } from '../../words.ts'
import { differenceWords } from './compared.tsx'
import { addFilter } from './filters.ts'
import { type PatternPair, pairPatterns } from './pattern-pairs.ts'
import './patterns.css'

/** Patterns shown at most. */
const maxPatterns = 200

interface PatternsProps {
  readonly table: LogTable
  readonly selection: LogSelection
  readonly span: TimeSpan
  readonly compared: TimeSpan | undefined
}

export function Patterns({ table, selection, span, compared }: PatternsProps) {
  const column = table.message
  const { value, error } = useLoaded(
    async signal => {
      if (column === undefined) return undefined
      const [now, before] = await Promise.all(
        [span, compared].map(
          each => each && queryPatterns({ ...selection, time_filter: timeFilter(each) }, column, maxPatterns, signal)
        )
      )
      return { now: now!, before }
    },
    [selection, span, compared?.from, compared?.to, column]
  )
  const pairs = useMemo(() => value && pairPatterns(value.now.patterns, value.before?.patterns), [value])
  if (column === undefined) return <p class="empty">{table.name} has no column of texts to find patterns in.</p>
  if (error !== undefined) return <Problem error={error} />
  if (value === undefined || pairs === undefined) return <p class="empty">Looking for patterns …</p>
  if (pairs.length === 0) return <p class="empty">No lines in this time. Choose a longer time, or take filters away.</p>
  const { lines, older, others } = value.now
  const largest = Math.max(1, ...pairs.map(({ now, before = 0 }) => Math.max(now, before)))
  return (
    <section class="stack" aria-label="Patterns">
      <p class="quiet" role="status">
        {countOf(pairs.length, 'pattern')} of {column} in {countOf(lines, 'line')}
        {value.before &&
          `, beside ${countOf(value.before.lines, 'line')} of the other time; what differs most is first`}
        {others > 0 && `; ${countOf(others, 'line')} of rarer ones`}
        {older > 0 && `; ${countOf(older, 'older line was', 'older lines were')} not looked at`}
      </p>
      <div class="scrolls card">
        <table class="plain patterns">
          <TableHead titles={['Lines', ...(value.before ? ['Before', 'Difference'] : []), 'Pattern', 'Show']} />
          <tbody>
            {pairs.map(pair => (
              <Row
                key={pair.pattern.pattern}
                pair={pair}
                column={column}
                max={largest}
                span={pair.now === 0 ? compared : undefined}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

interface RowProps {
  readonly pair: PatternPair
  readonly column: string
  /** The largest count. */
  readonly max: number
  /** Where its lines are, if that is another time. */
  readonly span: TimeSpan | undefined
}

function Row({ pair: { pattern, now, before }, column, max, span }: RowProps) {
  const { pattern: text, regex, first, last, examples } = pattern
  const words = before === undefined ? '' : differenceWords(now, before)
  return (
    <tr>
      <td class="number">
        {now.toLocaleString('en')}
        <span class="share" style={{ width: `${(100 * now) / max}%` }} />
      </td>
      {before !== undefined && (
        <>
          <td class="number">{before.toLocaleString('en')}</td>
          <td class={`difference ${words === 'new' ? 'new' : words === 'gone' ? 'quiet' : ''}`}>{words}</td>
        </>
      )}
      <td>
        <details>
          <summary class="mono">
            <PatternText text={text} />
          </summary>
          <p class="quiet">
            From {formatTime(Date.parse(first))} to {formatTime(Date.parse(last))}{' '}
            <button type="button" onClick={() => addFilter({ column, operator: 'unlike', value: regex })}>
              Leave them out
            </button>
          </p>
          <ul aria-label="Examples">
            {examples.map((example, i) => (
              <li key={i} class="mono quiet">
                {example}
              </li>
            ))}
          </ul>
        </details>
      </td>
      <td>
        <button
          type="button"
          onClick={() => {
            addFilter({ column, operator: 'regex', value: regex })
            change({ view: undefined }, true)
            if (span) showSpan(span)
          }}
        >
          Lines
        </button>
      </td>
    </tr>
  )
}

/** Highlights the variable parts of a pattern. */
function PatternText({ text }: { readonly text: string }) {
  return (
    <>
      {text.split('<*>').map((part, i) => (
        <Fragment key={i}>
          {i > 0 && <mark class="differs">…</mark>}
          {part}
        </Fragment>
      ))}
    </>
  )
}
