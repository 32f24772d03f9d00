// Traces: a search, or one of them.
import { parameters } from '../../router.ts'
import { Search } from './search.tsx'
import { TraceView } from './trace-view.tsx'
import './traces.css'

export default function Traces() {
  const id = parameters.value.get('trace')
  return id === null ? <Search /> : <TraceView key={id} id={id} />
}
