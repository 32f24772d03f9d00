// Things that happened, such as deploys: where an expression begins to have a value, charts have a line.
import { legendOf, queryRange, type Series, type Span, seriesName, stepOf } from '../api/promql.ts'
import { type Task, useLoaded } from '../task.ts'
import type { Mark } from './chart/mark.ts'

export interface Annotation {
  /** PromQL. */
  readonly text: string
  /** Template for the names of its lines, `{{version}}` for the value of a label; absent: the names of their series. */
  readonly title?: string
}

/** Lines drawn at most of each annotation. */
const maxMarks = 200

/** Of all annotations. `span` in seconds since 1970. */
export function useMarks(annotations: readonly Annotation[], { from, to }: Span, db: string): Task<readonly Mark[]> {
  return useLoaded(
    async signal => {
      const step = stepOf({ from, to })
      const asked = annotations.filter(({ text }) => text.trim() !== '')
      const marks = await Promise.all(
        asked.map(async ({ text, title }) => {
          const { series } = await queryRange(text, { from, to }, step, { signal, db })
          return series.flatMap(each => beginnings(each, step, title)).slice(0, maxMarks)
        })
      )
      return marks.flat()
    },
    [JSON.stringify(annotations), from, to, db]
  )
}

function beginnings({ labels, times }: Series, step: number, title: string | undefined): Mark[] {
  const text = title === undefined ? seriesName(labels) : legendOf(title, labels)
  return times.filter((time, i) => i === 0 || time - times[i - 1]! > step * 1.5).map(time => ({ time, text }))
}
