// The earlier span of time that lines are compared with; as long as the shown one.
import { change, parameters } from '../../router.ts'
import { readTime, type TimeSpan } from '../../time.ts'

const day = 86_400_000
const choices = [
  ['before', 'the time before'],
  ['1d', 'a day before'],
  ['1w', 'a week before']
] as const

/** Of the address: one of the choices, or the time at which the other span begins. Undefined: nothing is compared. */
export function comparedSpan({ from, to }: TimeSpan): TimeSpan | undefined {
  const word = parameters.value.get('with')
  if (word === null) return undefined
  const lengths: Readonly<Record<string, number>> = { before: to - from, '1d': day, '1w': 7 * day }
  const start = lengths[word] === undefined ? readTime(word) : from - lengths[word]
  return start === undefined ? undefined : { from: start, to: start + to - from }
}

export function CompareChoice() {
  const word = parameters.value.get('with') ?? ''
  const isOther = word !== '' && !choices.some(([name]) => name === word)
  return (
    <span class="joined">
      <select
        aria-label="Compare with"
        value={isOther ? 'other' : word}
        onChange={({ currentTarget: { value } }) =>
          change({ with: value === 'other' ? 'now-2h' : value === '' ? undefined : value })
        }
      >
        <option value="">Compare with …</option>
        {choices.map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
        <option value="other">a time from …</option>
      </select>
      {isOther && (
        <input
          class="compared"
          aria-label="Beginning of the other time"
          title="now-2h, or 2026-05-04 13:37"
          defaultValue={word}
          key={word}
          onChange={({ currentTarget: { value } }) => change({ with: value.trim() === '' ? undefined : value.trim() })}
        />
      )}
    </span>
  )
}

/** The change from one count to another, as text. */
export function differenceWords(now: number, before: number): string {
  if (now === before) return 'as many'
  if (before === 0) return 'new'
  if (now === 0) return 'gone'
  const factor = now / before
  if (factor >= 2) return `${Number(factor.toPrecision(2))} times as many`
  return `${factor > 1 ? '+' : '−'}${Number((100 * Math.abs(factor - 1)).toPrecision(2))} %`
}
