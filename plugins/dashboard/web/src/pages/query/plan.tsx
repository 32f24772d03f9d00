// The executed plan of a statement: a tree of operators with rows and time, and the files read for each table.
import { type Statement, sql } from '../../api/sql.ts'
import { Problem } from '../../components/problem.tsx'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { formatDuration } from '../../time.ts'
import { countOf } from '../../words.ts'

interface Step {
  readonly text: string
  /** Steps of another stage, such as the reading of files, follow those of the plan. */
  readonly stage: string
  readonly depth: number
  readonly rows: number | undefined
  readonly milliseconds: number | undefined
}

export function Plan({ asked: { text, params } }: { readonly asked: Statement }) {
  const { value, error } = useLoaded(
    async signal => stepsOf((await sql(`EXPLAIN ANALYZE ${text}`, { params, signal })).rows),
    [text, params, database.value]
  )
  if (error !== undefined) return <Problem error={error} />
  if (value === undefined) return <p class="empty">The statement is run once more …</p>
  const longest = Math.max(0, ...value.map(({ milliseconds = 0 }) => milliseconds))
  const stages = [...Map.groupBy(value, ({ stage }) => stage)]
  return (
    <section class="card stack" aria-label="Plan">
      {stages.map(([stage, steps], i) => (
        <div class="stack" key={stage}>
          <h2>{i === 0 ? 'Plan' : 'Read'}</h2>
          <ol class="plan">
            {steps.map(({ text, depth, rows, milliseconds }, i) => (
              <li key={i} style={{ paddingLeft: `${depth * 18}px` }}>
                <span class="mono">{text}</span>
                <span class="figure">{rows !== undefined && countOf(rows, 'row')}</span>
                <span class="figure">{milliseconds !== undefined && formatDuration(milliseconds)}</span>
                {milliseconds !== undefined && longest > 0 && (
                  <meter
                    value={milliseconds / longest}
                    aria-label={`${text}: share of the longest`}
                    title={formatDuration(milliseconds)}
                  />
                )}
              </li>
            ))}
          </ol>
        </div>
      ))}
    </section>
  )
}

/** From lines as EXPLAIN ANALYZE writes them: two blanks for each step down, then words, then `rows=` and `ms=` where they are known. */
function stepsOf(rows: readonly (readonly unknown[])[]): readonly Step[] {
  return rows.flatMap(row => {
    const stage = String(row[0])
    return String(row.at(-1))
      .split('\n')
      .filter(line => line.trim() !== '')
      .map(line => ({
        stage,
        text: line.replace(/\b(rows|ms)=[\d.]+/g, '').trim(),
        depth: (/^ */.exec(line)![0].length / 2) | 0,
        rows: figureOf(line, /\brows=(\d+)/),
        milliseconds: figureOf(line, /\bms=([\d.]+)/)
      }))
  })
}

function figureOf(line: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(line)?.[1]
  return found === undefined ? undefined : Number(found)
}
