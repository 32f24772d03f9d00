// Changes one panel; what is changed is shown at once.
import { Choice } from '../../components/choice.tsx'
import { Drawer } from '../../components/drawer.tsx'
import { Select } from '../../components/select.tsx'
import type { Unit } from '../../units.ts'
import { kinds, type Panel, type PanelKind, type PanelQuery, type PanelStyle, styles, units } from './document.ts'
import { QueryEditor } from './query-editor.tsx'

interface PanelEditorProps {
  readonly panel: Panel
  onChange(panel: Panel): void
  onRemove(): void
  onClose(): void
}

const widths = [
  [24, 'Full'],
  [12, 'Half'],
  [8, 'Third'],
  [6, 'Quarter']
] as const
const automatic = 'automatic'

export function PanelEditor({ panel, onChange, onRemove, onClose }: PanelEditorProps) {
  const set = (changes: Partial<Panel>) => onChange({ ...panel, ...changes })
  const isAsking = panel.kind !== 'row' && panel.kind !== 'text'
  return (
    <Drawer title="Panel" onClose={onClose}>
      <label class="field">
        <span>Title</span>
        <input value={panel.title} onInput={event => set({ title: event.currentTarget.value })} />
      </label>
      <Select label="Kind" value={panel.kind} options={kinds} onChange={kind => set(asKind(panel, kind))} />
      {isAsking &&
        panel.queries.map((query, i) => (
          <QueryEditor
            key={i}
            number={i + 1}
            query={query}
            isOnly={panel.queries.length === 1}
            onChange={changed => set({ queries: panel.queries.with(i, changed) })}
            onRemove={() => set({ queries: panel.queries.filter((_, at) => at !== i) })}
          />
        ))}
      {isAsking && (
        <button
          type="button"
          onClick={() =>
            set({ queries: [...panel.queries, { language: panel.queries[0]?.language ?? 'promql', text: '' }] })
          }
        >
          Add a query
        </button>
      )}
      {panel.kind === 'text' && (
        <label class="field">
          <span>Text</span>
          <textarea rows={6} value={panel.text ?? ''} onInput={event => set({ text: event.currentTarget.value })} />
        </label>
      )}
      {isAsking && (
        <Select<Unit> label="Unit" value={panel.unit ?? 'none'} options={units} onChange={unit => set({ unit })} />
      )}
      {panel.kind === 'chart' && (
        <>
          <Select<PanelStyle | typeof automatic>
            label="Style"
            value={panel.style ?? automatic}
            options={[automatic, ...styles]}
            onChange={style => onChange(withStyle(panel, style === automatic ? undefined : style))}
          />
          <label>
            <input type="checkbox" checked={panel.stacked ?? false} onChange={() => set({ stacked: !panel.stacked })} />{' '}
            Stacked
          </label>
          <label>
            <input
              type="checkbox"
              checked={panel.exemplars ?? false}
              onChange={() => set({ exemplars: !panel.exemplars })}
            />{' '}
            Exemplars
          </label>
        </>
      )}
      {panel.kind !== 'row' && (
        <>
          <Choice
            label="Width"
            value={String(panel.width)}
            options={widths.map(([width, title]) => ({ value: String(width), title }))}
            onChange={width => set({ width: Number(width) })}
          />
          <label class="field">
            <span>Height</span>
            <input
              type="range"
              min={2}
              max={24}
              value={panel.height}
              onInput={event => set({ height: Number(event.currentTarget.value) })}
            />
          </label>
        </>
      )}
      <div class="bar">
        <button type="button" onClick={onRemove}>
          Remove this panel
        </button>
      </div>
    </Drawer>
  )
}

function withStyle({ style: _, ...panel }: Panel, style: PanelStyle | undefined): Panel {
  return style === undefined ? panel : { ...panel, style }
}

function asKind({ queries, ...panel }: Panel, kind: PanelKind): Panel {
  const first: PanelQuery = { language: kind === 'logs' ? 'logs' : 'promql', text: '' }
  const isAsking = kind !== 'row' && kind !== 'text'
  return {
    ...panel,
    kind,
    width: kind === 'row' ? 24 : panel.width,
    queries: isAsking && queries.length === 0 ? [first] : queries
  }
}
