// Which rows of a long list are visible in a scrolling box: only these are in the page.
import type { RefObject } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

/** Rows kept above and below those in sight. */
const beyond = 20

/** Pixels from the top of the first row to that of each, and to the end of the last one. */
type Offsets = ArrayLike<number>

interface RowsInSight<E extends HTMLElement> {
  readonly box: RefObject<E | null>
  /** Rows from `first` until before `last` belong into the page. */
  readonly first: number
  readonly last: number
  /** Pixels of the rows before and after them. */
  readonly before: number
  readonly after: number
  onScroll(): void
  toTop(): void
}

/** `height` of a row in pixels, or where each begins. The caller gives the box its `ref` and `onScroll`. */
export function useRowsInSight<E extends HTMLElement>(rows: number, height: number | Offsets): RowsInSight<E> {
  const box = useRef<E>(null)
  const [top, setTop] = useState(0)
  const [boxHeight, setBoxHeight] = useState(600)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setBoxHeight(entry!.contentRect.height))
    observer.observe(box.current!)
    return () => observer.disconnect()
  }, [])
  const toTop = useCallback(() => {
    box.current!.scrollTop = 0
    setTop(0)
  }, [])
  const offsetOf = (row: number) => (typeof height === 'number' ? row * height : height[row]!)
  const rowAt = (pixel: number) => (typeof height === 'number' ? Math.floor(pixel / height) : search(height, pixel))
  const first = Math.min(rows, Math.max(0, rowAt(top) - beyond))
  const last = Math.min(rows, rowAt(top + boxHeight) + 1 + beyond)
  return {
    box,
    first,
    last,
    before: offsetOf(first),
    after: offsetOf(rows) - offsetOf(last),
    onScroll: () => setTop(box.current!.scrollTop),
    toTop
  }
}

/** The last row that begins at the pixel or before it. */
function search(offsets: Offsets, pixel: number): number {
  let [low, high] = [0, offsets.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (offsets[middle]! <= pixel) low = middle
    else high = middle - 1
  }
  return low
}
