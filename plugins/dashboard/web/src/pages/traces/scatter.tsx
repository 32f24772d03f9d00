// Traces by time and duration; a click opens one.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Trace } from '../../api/traces.ts'
import { timeWordsOf } from '../../components/chart/time-axis.ts'
import { addressOf } from '../../router.ts'
import { formatDuration, formatTime } from '../../time.ts'
import { searchWords } from './search-words.ts'
import type { Tree } from './tree.ts'

/** Pixels; the drawing is as wide as its place. */
const size = { height: 190, left: 70, bottom: 24, top: 10, right: 14 }

export interface ScatterProps {
  readonly found: readonly {
    readonly trace: Trace
    readonly tree: Tree
    readonly failed: number
    readonly title: string
  }[]
}

export function Scatter({ found }: ScatterProps) {
  const place = useRef<HTMLElement>(null)
  const [whole, setWhole] = useState(900)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWhole(Math.max(240, entry!.contentRect.width)))
    observer.observe(place.current!)
    return () => observer.disconnect()
  }, [])
  const starts = found.map(({ tree }) => tree.start)
  const [from, to] = [Math.min(...starts), Math.max(...starts)]
  const longest = Math.max(...found.map(({ tree }) => tree.duration))
  const [width, height] = [whole - size.left - size.right, size.height - size.top - size.bottom]
  const x = (time: number) => size.left + (to === from ? width / 2 : ((time - from) / (to - from)) * width)
  const y = (duration: number) => size.top + height - (duration / longest) * height
  const times =
    to === from
      ? [from]
      : (whole > 500 ? [0, 0.25, 0.5, 0.75, 1] : [0, 0.5, 1]).map(share => from + share * (to - from))
  const words = timeWordsOf(
    times.map(time => time / 1e6),
    (to - from) / 4e6
  )
  return (
    <section class="card" aria-label="Durations" ref={place}>
      <svg class="scatter" viewBox={`0 0 ${whole} ${size.height}`}>
        <title>Traces by time and duration</title>
        {[0, 0.5, 1].map(share => (
          <g key={share}>
            <line x1={size.left} x2={whole - size.right} y1={y(share * longest)} y2={y(share * longest)} />
            <text x={size.left - 8} y={y(share * longest) + 4} text-anchor="end">
              {formatDuration((share * longest) / 1000)}
            </text>
          </g>
        ))}
        {times.map((time, i) => (
          <text
            key={time}
            x={x(time)}
            y={size.height - 6}
            text-anchor={i === 0 ? 'start' : i === times.length - 1 ? 'end' : 'middle'}
          >
            {words[i]!.split('\n')[0]}
          </text>
        ))}
        {found.map(({ trace, tree, failed, title }) => {
          const text = `${title}, ${formatTime(tree.start / 1000)}, ${formatDuration(tree.duration / 1000)}${failed > 0 ? `, ${failed} failed` : ''}`
          return (
            <a
              key={trace.traceID}
              href={addressOf('traces', { ...searchWords(), trace: trace.traceID })}
              aria-label={text}
            >
              <circle
                class={failed > 0 ? 'bad' : ''}
                cx={x(tree.start)}
                cy={y(tree.duration)}
                r={Math.min(12, 4 + Math.sqrt(trace.spans.length) / 2)}
              >
                <title>{text}</title>
              </circle>
            </a>
          )
        })}
      </svg>
    </section>
  )
}
