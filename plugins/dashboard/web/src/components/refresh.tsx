// Loads anew, by hand or every few seconds; how often stands in the address.
import { useEffect } from 'preact/hooks'
import { change, parameters } from '../router.ts'
import { isLoading } from '../task.ts'
import { refresh } from '../time.ts'

const choices: readonly (readonly [word: string, seconds: number])[] = [
  ['5s', 5],
  ['10s', 10],
  ['30s', 30],
  ['1m', 60],
  ['5m', 300]
]

export function Refresh() {
  const word = parameters.value.get('refresh') ?? ''
  const seconds = choices.find(([name]) => name === word)?.[1]
  useEffect(() => {
    if (seconds === undefined) return undefined
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && !isLoading()) refresh()
    }, seconds * 1000)
    return () => clearInterval(timer)
  }, [seconds])
  return (
    <span class="joined">
      <button type="button" onClick={refresh}>
        Refresh
      </button>
      <select
        aria-label="Refresh every"
        value={seconds === undefined ? '' : word}
        onChange={event => change({ refresh: event.currentTarget.value }, true)}
      >
        <option value="">off</option>
        {choices.map(([name]) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </span>
  )
}
