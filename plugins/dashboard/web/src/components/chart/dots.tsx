// Single observations over a chart, each a link.
import { useCallback, useState } from 'preact/hooks'
import type uPlot from 'uplot'
import type { Dot } from './dot.ts'

interface Position {
  readonly dot: Dot
  /** Pixels from the corner of the chart. */
  readonly left: number
  readonly top: number
}

/** Where the dots are on a chart that tells when it is drawn. */
export function useDots(dots: readonly Dot[]) {
  const [positions, setPositions] = useState<readonly Position[]>([])
  const onDraw = useCallback(
    (chart: uPlot) => {
      const { offsetLeft, offsetTop, clientWidth, clientHeight } = chart.over
      setPositions(
        dots
          .map(dot => ({
            dot,
            left: chart.valToPos(dot.time, 'x'),
            top: dot.value === undefined ? clientHeight : chart.valToPos(dot.value, 'y')
          }))
          .filter(({ left, top }) => left >= 0 && left <= clientWidth && top >= 0 && top <= clientHeight)
          .map(({ dot, left, top }) => ({ dot, left: left + offsetLeft, top: top + offsetTop }))
      )
    },
    [dots]
  )
  return { positions, onDraw }
}

export function Dots({ positions }: { readonly positions: readonly Position[] }) {
  return (
    <>
      {positions.map(({ dot: { text, href }, left, top }, i) => (
        <a key={i} class="dot" href={href} title={text} style={{ left: `${left}px`, top: `${top}px` }}>
          <span class="hidden-label">{text}</span>
        </a>
      ))}
    </>
  )
}
