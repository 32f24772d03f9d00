// Traces: a search, the service map, operations, or one trace.
import { Choice } from '../../components/choice.tsx'
import { TimeRange } from '../../components/time-range.tsx'
import { change, parameters } from '../../router.ts'
import { Operations } from './operations.tsx'
import { Search } from './search.tsx'
import { ServiceMap } from './service-map.tsx'
import { TraceView } from './trace-view.tsx'
import './traces.css'

const views = [
  { value: 'search', title: 'Traces' },
  { value: 'map', title: 'Service map' },
  { value: 'operations', title: 'Operations' }
] as const

export default function Traces() {
  const id = parameters.value.get('trace')
  if (id !== null) return <TraceView key={id} id={id} />
  const view = views.find(({ value }) => value === parameters.value.get('view'))?.value ?? 'search'
  return (
    <>
      <div class="bar">
        <h1>Traces</h1>
        <Choice
          label="View"
          value={view}
          options={views}
          onChange={name => change({ view: name === 'search' ? undefined : name })}
        />
        <span class="space" />
        <TimeRange />
      </div>
      {view === 'search' && <Search />}
      {view === 'map' && <ServiceMap />}
      {view === 'operations' && <Operations />}
    </>
  )
}
