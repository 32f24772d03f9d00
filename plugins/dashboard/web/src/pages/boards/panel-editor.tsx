// Changes one panel; what is changed is shown at once.

import type { Style } from '../../components/chart/index.tsx'
import { Choice } from '../../components/choice.tsx'
import { Drawer } from '../../components/drawer.tsx'
import type { Unit } from '../../units.ts'
import { kinds, languages, type Panel, type PanelKind, type PanelQuery, units } from './document.ts'

export interface PanelEditorProps {
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
const styles: readonly Style[] = ['lines', 'area', 'bars', 'points']

const hints: Readonly<Record<PanelQuery['language'], string>> = {
  promql: 'rate(http_requests_total[$__rate_interval])',
  sql: 'SELECT time, value FROM table WHERE time >= :from AND time < :to',
  logs: 'table words "several words" -not'
}

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
          <Query
            key={i}
            place={i + 1}
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
          <Select<Style>
            label="Style"
            value={panel.style ?? 'lines'}
            options={styles}
            onChange={style => set({ style })}
          />
          <label>
            <input type="checkbox" checked={panel.stacked ?? false} onChange={() => set({ stacked: !panel.stacked })} />{' '}
            Stacked
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

interface QueryProps {
  readonly place: number
  readonly query: PanelQuery
  readonly isOnly: boolean
  onChange(query: PanelQuery): void
  onRemove(): void
}

function Query({ place, query, isOnly, onChange, onRemove }: QueryProps) {
  return (
    <fieldset class="stack query">
      <legend class="quiet">Query {place}</legend>
      <Select
        label={`Language of query ${place}`}
        value={query.language}
        options={languages}
        onChange={language => onChange({ ...query, language })}
      />
      <textarea
        rows={4}
        aria-label={`Text of query ${place}`}
        placeholder={hints[query.language]}
        value={query.text}
        // A text that is half written is not asked.
        onChange={event => onChange({ ...query, text: event.currentTarget.value })}
      />
      {query.language === 'promql' && (
        <label class="field">
          <span>Legend</span>
          <input
            placeholder="{{job}}"
            value={query.legend ?? ''}
            onChange={event => onChange({ ...query, legend: event.currentTarget.value })}
          />
        </label>
      )}
      {!isOnly && (
        <button type="button" class="plain" onClick={onRemove}>
          Remove query {place}
        </button>
      )}
    </fieldset>
  )
}

interface SelectProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly T[]
  onChange(value: T): void
}

function Select<T extends string>({ label, value, options, onChange }: SelectProps<T>) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={event => onChange(event.currentTarget.value as T)}>
        {options.map(option => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  )
}
