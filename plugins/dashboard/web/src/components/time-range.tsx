// Chooses the span of time a page shows, the zone it is shown in, and how often it is loaded anew.
import { useRef } from 'preact/hooks'
import { change } from '../router.ts'
import { addressWord, personWord, problemOf, readTime, timeProblem, timeWords } from '../time.ts'
import { chooseZone, fromWallClock, wallClock, zone, zoneName, zoneNames } from '../zone.ts'
import { Menu } from './menu.tsx'
import { Problem } from './problem.tsx'
import { Refresh } from './refresh.tsx'

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
  const title = preset?.[1] ?? `${personWord(from)} to ${personWord(to)}`
  return (
    <>
      {timeProblem.value !== undefined && <Problem error={`${timeProblem.value}; this is the last hour`} />}
      <Refresh />
      <Menu
        class="time-range"
        title={
          <>
            {title} <span class="quiet">{zoneWord()}</span>
          </>
        }
      >
        {close => (
          <>
            <div class="presets">
              {presets.map(([word, name]) => (
                <button
                  type="button"
                  class="plain"
                  key={word}
                  aria-pressed={preset?.[0] === word}
                  onClick={() => {
                    change({ from: word, to: undefined })
                    close()
                  }}
                >
                  {name}
                </button>
              ))}
            </div>
            <Ends key={`${from} ${to} ${zone.value}`} close={close} />
            <ZoneChoice />
          </>
        )}
      </Menu>
    </>
  )
}

function Ends({ close }: { close(): void }) {
  const form = useRef<HTMLFormElement>(null)
  const words = timeWords.value
  const field = (name: string) => form.current!.elements.namedItem(name) as HTMLInputElement
  const read = () => {
    const [from, to] = ['from', 'to'].map(name => addressWord(field(name).value.trim()))
    return { from, to }
  }
  const check = () => {
    const { from, to } = read()
    const noTime = 'A time such as now-1h or 2026-05-04 13:37'
    field('from').setCustomValidity(from === undefined ? noTime : '')
    const problem = from === undefined || to === undefined ? undefined : problemOf({ from, to })
    field('to').setCustomValidity(to === undefined ? noTime : (problem ?? ''))
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    change(read())
    close()
  }
  const end = (name: 'from' | 'to', title: string) => (
    <div class="field">
      <label for={`time-${name}`}>{title}</label>
      <span class="joined">
        <input id={`time-${name}`} name={name} size={24} defaultValue={personWord(words[name])} onInput={check} />
        <input
          type="datetime-local"
          class="calendar"
          aria-label={`${title}, from a calendar`}
          step={1}
          defaultValue={calendarText(words[name])}
          onInput={event => {
            const wall = Date.parse(`${event.currentTarget.value}Z`)
            if (Number.isNaN(wall)) return
            field(name).value = personWord(new Date(fromWallClock(wall)).toISOString())
            check()
          }}
        />
      </span>
    </div>
  )
  return (
    <form class="stack" ref={form} onSubmit={submit}>
      {end('from', 'From')}
      {end('to', 'To')}
      <button type="submit" onClick={check}>
        Show
      </button>
    </form>
  )
}

function ZoneChoice() {
  const isOther = zone.value !== 'local' && zone.value !== 'UTC'
  return (
    <label class="field">
      <span>Time zone</span>
      <select aria-label="Time zone" value={zone.value} onChange={event => chooseZone(event.currentTarget.value)}>
        <option value="local">of this machine</option>
        <option value="UTC">UTC</option>
        {isOther && !zoneNames.includes(zone.value) && <option>{zone.value}</option>}
        {zoneNames.map(name => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}

/** The value of a `datetime-local` input for a time of the address; empty if it is no time. */
function calendarText(word: string): string {
  const at = readTime(word)
  return at === undefined ? '' : new Date(wallClock(at)).toISOString().slice(0, 19)
}

function zoneWord(): string {
  return zone.value === 'local' ? 'local' : zoneName.value
}
