// Things that happened, such as deploys: where an expression begins to have a value, charts have a line.
import { useEffect, useState } from 'preact/hooks'
import { queryRange, type Series, type Span, seriesName, stepOf } from '../../api/promql.ts'
import type { Mark } from '../../components/chart/index.tsx'
import { Menu } from '../../components/menu.tsx'
import { Problem } from '../../components/problem.tsx'
import { change, parameters } from '../../router.ts'
import { database } from '../../session.ts'
import { type Task, useLoaded } from '../../task.ts'
import { timeWords } from '../../time.ts'
import { countOf } from '../../words.ts'

/** Lines drawn at most. */
const most = 200

/** Of the expression in the address. */
export function useMarks(span: Span): Task<readonly Mark[]> {
  const expression = parameters.value.get('marks') ?? ''
  return useLoaded(
    async signal => {
      if (expression === '') return []
      const step = stepOf(span)
      const { series } = await queryRange(expression, span, step, { signal })
      return series.flatMap(each => beginnings(each, step)).slice(0, most)
    },
    [expression, database.value, timeWords.value]
  )
}

function beginnings({ labels, times }: Series, step: number): Mark[] {
  return times
    .filter((time, i) => i === 0 || time - times[i - 1]! > step * 1.5)
    .map(time => ({ time, text: seriesName(labels) }))
}

export function Annotations({ marks: { value = [], error } }: { readonly marks: Task<readonly Mark[]> }) {
  const expression = parameters.value.get('marks') ?? ''
  const [text, setText] = useState(expression)
  useEffect(() => setText(expression), [expression])
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    change({ marks: text.trim() })
  }
  return (
    <Menu title={expression === '' ? 'Annotations' : countOf(value.length, 'annotation')}>
      <form class="stack" onSubmit={submit}>
        <label class="field">
          <span>Where this expression begins to have a value</span>
          <input
            class="mono"
            placeholder="changes(app_version[5m]) > 0"
            value={text}
            onInput={event => setText(event.currentTarget.value)}
          />
        </label>
        {error !== undefined && <Problem error={error} />}
        <button type="submit">Show</button>
      </form>
    </Menu>
  )
}
