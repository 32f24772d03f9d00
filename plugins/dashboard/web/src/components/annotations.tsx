// Chooses the annotation that stands in the address.
import { useEffect, useState } from 'preact/hooks'
import { change, parameters } from '../router.ts'
import type { Task } from '../task.ts'
import { countOf } from '../words.ts'
import type { Mark } from './chart/mark.ts'
import { Menu } from './menu.tsx'
import { Problem } from './problem.tsx'
import type { Annotation } from './use-marks.ts'

/** That of the address. */
export function annotationsOfAddress(): readonly Annotation[] {
  const text = parameters.value.get('marks') ?? ''
  return text === '' ? [] : [{ text }]
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
