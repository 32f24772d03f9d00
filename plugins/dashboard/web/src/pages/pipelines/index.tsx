// Pipelines: the list, and one of them with its versions, its text and a dry run.
import { useState } from 'preact/hooks'
import { listVersions, type Version } from '../../api/pipelines.ts'
import { Problem } from '../../components/problem.tsx'
import { Refresh } from '../../components/refresh.tsx'
import { change, parameters } from '../../router.ts'
import { useLoaded } from '../../task.ts'
import { timeWords } from '../../time.ts'
import { Pipeline } from './pipeline.tsx'
import './pipelines.css'

export default function Pipelines() {
  const [round, setRound] = useState(0)
  const { value, error } = useLoaded(signal => listVersions(signal), [round, timeWords.value])
  const name = parameters.value.get('name')
  const names = [...new Set((value ?? []).map(each => each.name))]
  const versions = (value ?? []).filter((each: Version) => each.name === name).map(({ version }) => version)
  return (
    <>
      <div class="bar">
        <h1>Pipelines</h1>
        <span class="space" />
        <Refresh />
        <button type="button" onClick={() => change({ name: undefined, version: undefined })}>
          New pipeline
        </button>
      </div>
      {error !== undefined && <Problem error={error} />}
      <div class="columns">
        <nav class="card stack pipeline-list" aria-label="Stored pipelines">
          {value?.length === 0 && <p class="quiet">None is stored yet.</p>}
          {names.map(each => (
            <button
              type="button"
              class="plain"
              key={each}
              aria-pressed={each === name}
              onClick={() => change({ name: each, version: undefined })}
            >
              {each} <span class="quiet">{(value ?? []).filter(other => other.name === each).length}</span>
            </button>
          ))}
        </nav>
        {value !== undefined && (
          <Pipeline key={name} name={name ?? undefined} versions={versions} onStored={() => setRound(round + 1)} />
        )}
      </div>
    </>
  )
}
