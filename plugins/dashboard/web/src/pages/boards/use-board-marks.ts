// The lines that a dashboard's annotations draw across its charts.
import { stepOf } from '../../api/promql.ts'
import type { Mark } from '../../components/chart/index.tsx'
import { type Annotation, useMarks } from '../../components/use-marks.ts'
import type { Task } from '../../task.ts'
import type { TimeSpan } from '../../time.ts'
import { substitute, type Values } from './substitute.ts'

interface MarkContext {
  /** Undefined until the values of all variables are known; nothing is queried before. */
  readonly values: Values | undefined
  readonly span: TimeSpan
  readonly db: string
}

export function useBoardMarks(
  annotations: readonly Annotation[],
  { values, span, db }: MarkContext
): Task<readonly Mark[]> {
  const seconds = { from: span.from / 1000, to: span.to / 1000 }
  const time = { ...span, step: stepOf(seconds) }
  const asked =
    values === undefined
      ? []
      : annotations.map(each => ({ ...each, text: substitute(each.text, 'promql', values, time) }))
  return useMarks(asked, seconds, db)
}
