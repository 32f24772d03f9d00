// Changes one query of a panel.
import { Select } from '../../components/select.tsx'
import { languages, type PanelQuery } from './document.ts'

const hints: Readonly<Record<PanelQuery['language'], string>> = {
  promql: 'rate(http_requests_total[$__rate_interval])',
  sql: 'SELECT time, value FROM table WHERE time >= :from AND time < :to',
  logs: 'table words "several words" -not'
}

interface QueryEditorProps {
  readonly number: number
  readonly query: PanelQuery
  readonly isOnly: boolean
  onChange(query: PanelQuery): void
  onRemove(): void
}

export function QueryEditor({ number, query, isOnly, onChange, onRemove }: QueryEditorProps) {
  return (
    <fieldset class="stack query">
      <legend class="quiet">Query {number}</legend>
      <Select
        label={`Language of query ${number}`}
        value={query.language}
        options={languages}
        onChange={language => onChange({ ...query, language })}
      />
      <textarea
        rows={4}
        aria-label={`Text of query ${number}`}
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
          Remove query {number}
        </button>
      )}
    </fieldset>
  )
}
