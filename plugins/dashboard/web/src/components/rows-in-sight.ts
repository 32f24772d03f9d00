// Which of many rows of one height are in sight of a box that scrolls: only those are in the page.
import type { RefObject } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

/** Rows kept above and below those in sight. */
const beyond = 20

export interface RowsInSight<E extends HTMLElement> {
  readonly box: RefObject<E | null>
  /** Rows from `first` until before `last` belong into the page. */
  readonly first: number
  readonly last: number
  onScroll(): void
  toTop(): void
}

/** `height` of a row in pixels. The caller gives the box its `ref` and `onScroll`. */
export function useRowsInSight<E extends HTMLElement>(rows: number, height: number): RowsInSight<E> {
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
  return {
    box,
    first: Math.max(0, Math.floor(top / height) - beyond),
    last: Math.min(rows, Math.ceil((top + boxHeight) / height) + beyond),
    onScroll: () => setTop(box.current!.scrollTop),
    toTop
  }
}
