// Traces by time and duration; a click opens one.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TraceFacts } from '../../api/trace-facts.ts'
import { roundTimes, timeWordsOf } from '../../components/chart/time-axis.ts'
import { addressOf, change, parameters } from '../../router.ts'
import { formatDuration, formatTime, type TimeSpan } from '../../time.ts'
import { linearAxis, logAxis } from './duration-axis.ts'
import { searchWords } from './search-words.ts'

/** Pixels; the drawing is as wide as its container. */
const size = { height: 202, left: 70, bottom: 36, top: 10, right: 14 }
/** Pixels from one word of the axis to the next, at least, and half of the longest. */
const timeWidth = 90
const halfWord = 34

interface ScatterProps {
  readonly traces: readonly TraceFacts[]
  readonly span: TimeSpan
  /** Which of how many these are. */
  readonly words: string
  /** Dots of traces that the list links to anyway: only these take the keyboard's focus. */
  readonly listed: ReadonlySet<string>
}

export function Scatter({ traces, span, words, listed }: ScatterProps) {
  const container = useRef<HTMLElement>(null)
  const [whole, setWhole] = useState(900)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWhole(Math.max(240, entry!.contentRect.width)))
    observer.observe(container.current!)
    return () => observer.disconnect()
  }, [])
  // Traces may have begun before the time in which they are met.
  const from = traces.reduce((first, { start }) => Math.min(first, start), span.from * 1000)
  const to = traces.reduce((last, { start }) => Math.max(last, start), span.to * 1000)
  const longest = traces.reduce((max, { duration }) => Math.max(max, duration), 1)
  const shortest = traces.reduce((min, { duration }) => Math.min(min, duration), longest)
  const isLog = parameters.value.get('axis') === 'log'
  const axis = isLog ? logAxis(shortest, longest) : linearAxis(longest)
  const [width, height] = [whole - size.left - size.right, size.height - size.top - size.bottom]
  const x = (time: number) => size.left + ((time - from) / (to - from)) * width
  const y = (duration: number) => size.top + height - axis.share(duration) * height
  return (
    <section class="card" aria-label="Durations" ref={container}>
      <svg class="scatter" viewBox={`0 0 ${whole} ${size.height}`}>
        <title>Traces by time and duration</title>
        {axis.ticks.map(tick => (
          <g key={tick}>
            <line x1={size.left} x2={whole - size.right} y1={y(tick)} y2={y(tick)} />
            <text x={size.left - 8} y={y(tick) + 4} text-anchor="end">
              {formatDuration(tick / 1000)}
            </text>
          </g>
        ))}
        <Times from={from} to={to} max={Math.max(3, Math.floor(width / timeWidth))} x={x} right={whole - halfWord} />
        {traces.map(({ id, title, start, duration, spans, failed }) => {
          const text = `${title}, ${formatTime(Math.floor(start / 1000))}, ${formatDuration(duration / 1000)}${failed > 0 ? `, ${failed} failed` : ''}`
          return (
            <a
              key={id}
              href={addressOf('traces', { ...searchWords(), trace: id })}
              aria-label={text}
              {...(!listed.has(id) && { tabIndex: -1 })}
            >
              <circle
                class={failed > 0 ? 'bad' : ''}
                cx={x(start)}
                cy={y(duration)}
                r={traces.length > 200 ? 3 : Math.min(12, 4 + Math.sqrt(spans) / 2)}
              >
                <title>{text}</title>
              </circle>
            </a>
          )
        })}
      </svg>
      <div class="bar">
        <p class="quiet">{words}</p>
        <span class="space" />
        <label>
          <input type="checkbox" checked={isLog} onChange={() => change({ axis: isLog ? undefined : 'log' }, true)} />{' '}
          Logarithmic
        </label>
      </div>
    </section>
  )
}

interface TimesProps {
  /** Microseconds since 1970. */
  readonly from: number
  readonly to: number
  readonly max: number
  /** Pixels from the left of the last tick that has room for its text. */
  readonly right: number
  x(time: number): number
}

function Times({ from, to, max, right, x }: TimesProps) {
  const { ticks, step } = roundTimes(from / 1e6, to / 1e6, max)
  const words = timeWordsOf(ticks, step)
  return (
    <>
      {ticks.map((time, i) => {
        const at = x(time * 1e6)
        if (at > right) return null
        return words[i]!.split('\n').map((word, line) => (
          <text key={`${time} ${line}`} x={at} y={size.height - 20 + 14 * line} text-anchor="middle">
            {word}
          </text>
        ))
      })}
    </>
  )
}
