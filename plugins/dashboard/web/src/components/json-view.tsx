// A list as JSON, however long: only its lines in sight are in the page.
import { useMemo } from 'preact/hooks'
import { layOut } from '../cell.ts'
import { countOf } from '../words.ts'
import { useRowsInSight } from './rows-in-sight.ts'

/** Pixels. */
const lineHeight = 18
/** Lines the view holds: a browser can scroll no further. */
const maxLines = 500_000

interface JsonViewProps {
  readonly count: number
  item(i: number): unknown
}

export function JsonView({ count, item }: JsonViewProps) {
  const { lines, items } = useMemo(() => linesOf(count, item), [count, item])
  const { box, first, last, before, onScroll } = useRowsInSight<HTMLElement>(lines.length, lineHeight)
  return (
    <>
      {items < count && (
        <p class="quiet">
          The first {countOf(items, 'item')} of {count.toLocaleString('en')}; a download has all.
        </p>
      )}
      <section class="card mono json" ref={box} tabIndex={0} aria-label="JSON" onScroll={onScroll}>
        <div style={{ height: `${lines.length * lineHeight}px` }}>
          <pre style={{ transform: `translateY(${before}px)` }}>{lines.slice(first, last).join('\n')}</pre>
        </div>
      </section>
    </>
  )
}

function linesOf(count: number, item: (i: number) => unknown): { readonly lines: string[]; readonly items: number } {
  if (count === 0) return { lines: ['[]'], items: 0 }
  const lines = ['[']
  let items = 0
  for (; items < count && lines.length < maxLines; items++) {
    const text = `  ${layOut(item(items), '  ')}${items < count - 1 ? ',' : ''}`
    lines.push(...text.split('\n'))
  }
  lines.push(']')
  return { lines, items }
}
