// Chooses the span of time a page shows.
import { change } from '../router.ts'
import { readTime, timeWords } from '../time.ts'

const presets: readonly (readonly [string, string])[] = [
  ['now-5m', 'Last 5 minutes'],
  ['now-15m', 'Last 15 minutes'],
  ['now-1h', 'Last hour'],
  ['now-6h', 'Last 6 hours'],
  ['now-24h', 'Last 24 hours'],
  ['now-7d', 'Last 7 days'],
  ['now-30d', 'Last 30 days'],
  ['now-365d', 'Last year']
]

export function TimeRange() {
  const { from, to } = timeWords.value
  const preset = to === 'now' ? presets.find(([word]) => word === from) : undefined
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const [start, end] = ['from', 'to'].map(name => String(form.get(name)).trim())
    change({ from: start, to: end })
    ;(event.currentTarget as HTMLElement).closest('details')?.removeAttribute('open')
  }
  const check = (event: { currentTarget: HTMLInputElement }) => {
    const { value } = event.currentTarget
    const message = readTime(value.trim()) === undefined ? 'A time such as now-1h or 2026-05-04 13:37' : ''
    event.currentTarget.setCustomValidity(message)
  }
  return (
    <details class="menu time-range">
      <summary>{preset?.[1] ?? `${from} to ${to}`}</summary>
      <div class="sheet">
        {presets.map(([word, title]) => (
          <button
            type="button"
            class="plain"
            key={word}
            aria-pressed={preset?.[0] === word}
            onClick={event => {
              change({ from: word, to: undefined })
              event.currentTarget.closest('details')?.removeAttribute('open')
            }}
          >
            {title}
          </button>
        ))}
        <form class="stack" onSubmit={submit} key={`${from} ${to}`}>
          <label class="field">
            <span>From</span>
            <input name="from" defaultValue={from} onInput={check} />
          </label>
          <label class="field">
            <span>To</span>
            <input name="to" defaultValue={to} onInput={check} />
          </label>
          <button type="submit">Show</button>
        </form>
      </div>
    </details>
  )
}
