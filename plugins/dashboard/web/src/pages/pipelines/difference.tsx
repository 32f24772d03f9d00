// The differences between two texts of a pipeline.
import { useState } from 'preact/hooks'
import { readPipeline } from '../../api/pipelines.ts'
import { Problem } from '../../components/problem.tsx'
import { useLoaded } from '../../task.ts'
import { diffLines } from './diff-lines.ts'

interface DifferenceProps {
  readonly name: string
  readonly versions: readonly string[]
  /** The one that is shown. */
  readonly version: string | undefined
  readonly stored: string
  readonly text: string
}

export function Difference({ name, versions, version, stored, text }: DifferenceProps) {
  const [other, setOther] = useState('stored')
  const { value, error } = useLoaded(
    async signal => (other === 'stored' ? stored : readPipeline(name, other, signal)),
    [name, other, stored]
  )
  const others = versions.filter(each => each !== version)
  const lines = value === undefined ? [] : diffLines(value, text)
  const changed = lines.some(({ kind }) => kind !== 'same')
  if (others.length === 0 && !changed) return null
  return (
    <details class="card">
      <summary>Changes{changed ? '' : ': none'}</summary>
      <div class="stack">
        <label class="field agent">
          <span>Compared with</span>
          <select value={other} onChange={event => setOther(event.currentTarget.value)}>
            <option value="stored">what is stored of this version</option>
            {others.map(each => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
        {error !== undefined && <Problem error={error} />}
        <pre class="diff" tabIndex={0}>
          {lines.map(({ kind, text: line }, i) => (
            <span key={i} class={kind}>
              {kind === 'added' ? '+ ' : kind === 'removed' ? '- ' : '  '}
              {line}
              {'\n'}
            </span>
          ))}
        </pre>
      </div>
    </details>
  )
}
