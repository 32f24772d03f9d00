// Loads anew, by hand or every few seconds.
import { useEffect, useState } from 'preact/hooks'

const choices: readonly (readonly [number, string])[] = [
  [0, 'off'],
  [5, '5 s'],
  [30, '30 s'],
  [300, '5 min']
]

export function Refresh({ onRefresh }: { onRefresh(): void }) {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    if (seconds === 0) return undefined
    const timer = setInterval(onRefresh, seconds * 1000)
    return () => clearInterval(timer)
  }, [seconds])
  return (
    <>
      <button type="button" onClick={onRefresh}>
        Refresh
      </button>
      <select
        aria-label="Refresh every"
        value={seconds}
        onChange={event => setSeconds(Number(event.currentTarget.value))}
      >
        {choices.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </>
  )
}
