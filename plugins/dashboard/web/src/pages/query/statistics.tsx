// Statistics of each column of an answer: number of values, minimum, maximum, the most frequent ones.
import type { SqlResult } from '../../api/sql.ts'
import { cellText } from '../../cell.ts'
import { isNumeric } from '../../components/data-table.tsx'
import { Drawer } from '../../components/drawer.tsx'
import { Problem } from '../../components/problem.tsx'
import { useLoaded } from '../../task.ts'
import { formatValue } from '../../units.ts'
import { countOf } from '../../words.ts'
import { type Asked, canPage, isWhole } from './ask.ts'
import { type ColumnFacts, factsOfAll, factsOfShown } from './column-facts.ts'

interface StatisticsProps {
  readonly asked: Asked
  readonly table: Pick<SqlResult, 'columns' | 'rows'>
  onClose(): void
}

/** Of all rows of a statement, also of those that are not in the page. */
export function Statistics({ asked, table, onClose }: StatisticsProps) {
  const { columns, rows } = table
  const isAsked = asked.language === 'sql' && !isWhole(asked, rows.length) && canPage(asked.text)
  const { value, error } = useLoaded(
    async signal => (isAsked ? factsOfAll(asked, columns, signal) : factsOfShown(table)),
    [asked, table]
  )
  return (
    <Drawer title="Columns" onClose={onClose}>
      {error !== undefined && <Problem error={error} />}
      {error === undefined && value === undefined && <p class="quiet">Counting all rows …</p>}
      {value && (
        <p class="quiet" role="status">
          Of {isAsked || isWhole(asked, rows.length) ? 'all' : 'the'} {countOf(value.rows, 'row')}
          {!isAsked && !isWhole(asked, rows.length) && ' shown'}.
        </p>
      )}
      {value?.columns.map((facts, i) => (
        <section class="stack" key={i} aria-label={`Column ${columns[i]!.name}`}>
          <h3>
            <span class="mono">{columns[i]!.name}</span> <span class="quiet">{columns[i]!.type}</span>
          </h3>
          <p>{wordsOf(facts, columns[i]!.type)}</p>
          <ul class="links">
            {facts.top.map(([value, count], at) => (
              <li key={at}>
                <span class="mono">{cellText(value, columns[i]!.type)}</span>
                <span class="quiet">{count.toLocaleString('en')}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Drawer>
  )
}

function wordsOf(
  { different, isRough, missing, least, greatest, average, quantiles }: ColumnFacts,
  type: string
): string {
  const text = (value: unknown) => cellText(value, type)
  return [
    `${isRough ? 'some ' : ''}${different.toLocaleString('en')} different`,
    ...(missing > 0 ? [`${missing.toLocaleString('en')} null`] : []),
    ...(least === undefined ? [] : [`from ${text(least)} to ${text(greatest)}`]),
    ...(average === undefined || !isNumeric(type) ? [] : [`average ${formatValue(average)}`]),
    ...(quantiles === undefined
      ? []
      : [`median ${formatValue(quantiles[0]!)}, 95 % below ${formatValue(quantiles[1]!)}`])
  ].join(', ')
}
