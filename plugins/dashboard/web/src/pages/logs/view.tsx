// The lines of one table: search, histogram, fields, the lines themselves, one of them.
import { useMemo } from 'preact/hooks'
import type { SqlResult } from '../../api/sql.ts'
import { Problem } from '../../components/problem.tsx'
import type { LogTable } from '../../log-tables.ts'
import { readWords } from '../../log-words.ts'
import { change, parameters } from '../../router.ts'
import { formatDuration } from '../../time.ts'
import { countOf } from '../../words.ts'
import { comparedSpan } from './compared.tsx'
import { Fields } from './fields.tsx'
import { FilterBar } from './filter-bar.tsx'
import { readFilters, wordsOf } from './filters.ts'
import { Histogram } from './histogram.tsx'
import { LineDetails } from './line-details.tsx'
import { Lines } from './lines.tsx'
import { LiveBar } from './live-bar.tsx'
import { chosenColumns, isOldestFirst, LookMenu } from './look-menu.tsx'
import { markerOf } from './message.tsx'
import { Patterns } from './patterns.tsx'
import type { Search } from './search.ts'
import { useLines } from './use-lines.ts'

/** Lines shown at first; those to see more ask for twice as many. */
const first = 500

interface ViewProps {
  readonly table: LogTable
  readonly isLive: boolean
}

export function View({ table, isLive }: ViewProps) {
  const search = useSearch()
  const size = Math.max(1, Number(parameters.value.get('rows')) || first)
  const { selection, span, countSpan, found, live, schema, rows, ids } = useLines({ table, search, size, isLive })
  const { value, error, isRunning } = found
  const { level } = schema
  const isTurned = isOldestFirst()
  const [shownRows, shownIds] = useMemo(
    () => (isTurned ? [rows.toReversed(), ids.toReversed()] : [rows, ids]),
    [rows, ids, isTurned]
  )
  const marker = useMemo(() => markerOf(search), [search])
  const chosen = parameters.value.get('line')
  const isPatterns = parameters.value.get('view') === 'patterns'
  return (
    <>
      <FilterBar table={table} {...search} />
      <Histogram
        table={table}
        selection={selection}
        level={level}
        span={countSpan}
        compared={comparedSpan(countSpan)}
      />
      {isLive && <LiveBar live={{ ...live, error: inWords(live.error, search) }} />}
      {error !== undefined && <Problem error={inWords(error, search)} />}
      <div class="columns">
        <Fields table={table} selection={selection} span={span} level={level} />
        {isPatterns && <Patterns table={table} selection={selection} span={span} compared={comparedSpan(span)} />}
        {!isPatterns && (
          <section class="stack">
            <div class="bar">
              <p class="quiet" role="status">
                {value && error === undefined && statusOf(value, rows.length)}
                {isRunning && ' Loading …'}
              </p>
              <span class="space" />
              <LookMenu table={table} selection={selection} span={span} />
            </div>
            {rows.length > 0 && (
              <Lines
                {...schema}
                rows={shownRows}
                ids={shownIds}
                chosen={chosen}
                isWrapped={parameters.value.get('wrap') !== null}
                shown={chosenColumns()}
                marker={marker}
              />
            )}
            {rows.length === 0 && value && error === undefined && <Empty isLive={isLive} />}
            {value && error === undefined && value.rows.length >= size && (
              <button type="button" disabled={isRunning} onClick={() => change({ rows: String(size * 2) }, true)}>
                Load more
              </button>
            )}
          </section>
        )}
      </div>
      {chosen !== null && <LineDetails key={chosen} {...schema} id={chosen} rows={rows} ids={ids} />}
    </>
  )
}

/** Translates an error about a part of the query into one about the filter or word it came from. */
function inWords(error: unknown, { text, filters }: Search): unknown {
  const [whole, index, words] =
    /^\$\.filters\.And\[(\d+)\]\S*: (.*)$/s.exec(error instanceof Error ? error.message : '') ?? []
  if (whole === undefined) return error
  const filter = filters[Number(index)]
  if (filter !== undefined) return `The filter “${wordsOf(filter)}”: ${words}`
  const word = readWords(text)[Number(index) - filters.length]
  return word === undefined ? error : `The word “${word.text}”: ${words}`
}

/** Of the address. */
function useSearch(): Search {
  const read = (name: string) => parameters.value.get(name) ?? ''
  const [text, list, letters] = [read('q'), read('f') || '[]', read('case')]
  return useMemo(() => ({ text, ignoresCase: letters === 'any', filters: readFilters(list) }), [text, list, letters])
}

function statusOf({ took }: SqlResult, rows: number): string {
  return `${countOf(rows, 'line')} in ${formatDuration(took)}, the ${isOldestFirst() ? 'oldest' : 'newest'} first.`
}

function Empty({ isLive }: { readonly isLive: boolean }) {
  if (isLive) return <p class="empty">Waiting for new lines …</p>
  return <p class="empty">No lines in this time. Choose a longer time, or take filters away.</p>
}
