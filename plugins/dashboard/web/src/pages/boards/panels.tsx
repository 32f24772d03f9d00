// Panels below and beside each other, in 24 columns.
import type { Mark } from '../../components/chart/index.tsx'
import type { TimeSpan } from '../../time.ts'
import type { Panel } from './document.ts'
import { PanelView } from './panel-view.tsx'
import type { Values } from './substitute.ts'

interface PanelsProps {
  readonly panels: readonly Panel[]
  readonly values: Values
  readonly span: TimeSpan
  readonly db: string
  readonly marks: readonly Mark[]
  readonly edited: number | undefined
  onEdit?(index: number): void
  onChange?(panels: readonly Panel[]): void
}

export function Panels({ panels, values, span, db, marks, edited, onEdit, onChange }: PanelsProps) {
  const move = (from: number, to: number) => {
    const rest = panels.filter((_, i) => i !== from)
    onChange!([...rest.slice(0, to), panels[from]!, ...rest.slice(to)])
  }
  return (
    <div class="panels">
      {panels.map((panel, i) => (
        <section
          class={`${panel.kind === 'row' ? 'row' : panel.width <= 6 ? 'card panel small' : 'card panel'} ${i === edited ? 'edited' : ''}`}
          style={{ '--columns': String(panel.width) }}
          aria-label={panel.title || `Panel ${i + 1}`}
          key={i}
        >
          {(panel.title !== '' || onEdit) && (
            <div class="bar">
              {panel.title !== '' && <h2>{panel.title}</h2>}
              {onEdit && onChange && (
                <>
                  <span class="space" />
                  <button
                    type="button"
                    class="plain"
                    aria-label="Before"
                    disabled={i === 0}
                    onClick={() => move(i, i - 1)}
                  >
                    ←
                  </button>
                  <button
                    type="button"
                    class="plain"
                    aria-label="Behind"
                    disabled={i === panels.length - 1}
                    onClick={() => move(i, i + 1)}
                  >
                    →
                  </button>
                  <button
                    type="button"
                    aria-label={`Edit ${panel.title || `panel ${i + 1}`}`}
                    onClick={() => onEdit(i)}
                  >
                    Edit
                  </button>
                </>
              )}
            </div>
          )}
          {panel.kind !== 'row' && <PanelView panel={panel} values={values} span={span} db={db} marks={marks} />}
        </section>
      ))}
    </div>
  )
}
