// The names of lines with their figures. A click shows one alone, with Ctrl, ⌘ or Shift it takes one away.
import { formatValue, type Unit } from '../../units.ts'
import type { DrawnLine } from './line.ts'

interface LegendProps {
  readonly lines: readonly DrawnLine[]
  readonly hidden: ReadonlySet<string>
  readonly unit: Unit
  /** One figure of each instead of all. */
  readonly short: 'sum' | 'last' | undefined
  onHide(hidden: ReadonlySet<string>): void
}

const heads = ['last', 'min', 'avg', 'max'] as const

export function Legend({ lines, hidden, unit, short, onHide }: LegendProps) {
  const choose = (event: MouseEvent, { name }: DrawnLine) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return onHide(without(hidden, name))
    const isAlone = !hidden.has(name) && hidden.size === lines.length - 1
    onHide(isAlone ? new Set() : new Set(lines.flatMap(line => (line.name === name ? [] : [line.name]))))
  }
  return (
    <div class={short === undefined ? 'legend' : 'legend short'}>
      {short === undefined && (
        <div class="heads quiet" aria-hidden="true">
          <span class="name">{lines.length > 1 && 'Click: this one alone'}</span>
          {heads.map(head => (
            <span key={head}>{head}</span>
          ))}
        </div>
      )}
      <ul>
        {lines.map(line => (
          <li key={line.name}>
            <button
              type="button"
              aria-pressed={!hidden.has(line.name)}
              title={`${line.name}: show it alone; with Ctrl: hide it`}
              onClick={event => choose(event, line)}
            >
              <span class="swatch" style={{ background: line.colour }} />
              <span class="name">{line.name}</span>
              {short !== undefined ? (
                <span class="figure">{shortFigure(line.figures[short], short, unit)}</span>
              ) : (
                heads.map(head => (
                  <span key={head} class="figure">
                    <span class="hidden-label">{head} </span>
                    {formatValue(line.figures[head], unit)}
                  </span>
                ))
              )}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Sums are counts, which are told exactly. */
function shortFigure(value: number | null, short: 'sum' | 'last', unit: Unit): string {
  return short === 'sum' && unit === 'count' && value !== null ? value.toLocaleString('en') : formatValue(value, unit)
}

function without(hidden: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const next = new Set(hidden)
  if (!next.delete(name)) next.add(name)
  return next
}
