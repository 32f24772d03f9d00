// The variables of a dashboard, to change.
import { Drawer } from '../../components/drawer.tsx'
import type { Variable } from './document.ts'

const kinds: readonly Variable['kind'][] = ['promql', 'sql', 'custom', 'text']

interface VariableEditorProps {
  readonly variables: readonly Variable[]
  onChange(variables: readonly Variable[]): void
  onClose(): void
}

export function VariableEditor({ variables, onChange, onClose }: VariableEditorProps) {
  const set = (i: number, changes: Partial<Variable>) => onChange(variables.with(i, { ...variables[i]!, ...changes }))
  const free = (n: number): string => (variables.some(({ name }) => name === `v${n}`) ? free(n + 1) : `v${n}`)
  return (
    <Drawer title="Variables" onClose={onClose}>
      <p class="quiet">
        A query says $name. What can be chosen: label_values(metric, label), the first column of a statement, or words
        with commas between them.
      </p>
      {variables.map((variable, i) => (
        <fieldset class="stack query" key={i}>
          <legend class="quiet">Variable {i + 1}</legend>
          <label class="field">
            <span>Name</span>
            <input
              value={variable.name}
              pattern="\w+"
              onChange={event => set(i, { name: event.currentTarget.value.replace(/\W/g, '_') || variable.name })}
            />
          </label>
          <label class="field">
            <span>Kind</span>
            <select
              value={variable.kind}
              onChange={event => set(i, { kind: event.currentTarget.value as Variable['kind'] })}
            >
              {kinds.map(kind => (
                <option key={kind}>{kind}</option>
              ))}
            </select>
          </label>
          <label class="field">
            <span>What can be chosen</span>
            <textarea
              rows={2}
              value={variable.query}
              onChange={event => set(i, { query: event.currentTarget.value })}
            />
          </label>
          <div class="bar">
            <label>
              <input
                type="checkbox"
                checked={variable.multi ?? false}
                onChange={() => set(i, { multi: !variable.multi })}
              />{' '}
              Several
            </label>
            <label>
              <input type="checkbox" checked={variable.all ?? false} onChange={() => set(i, { all: !variable.all })} />{' '}
              All
            </label>
            <span class="space" />
            <button type="button" class="plain" onClick={() => onChange(variables.filter((_, at) => at !== i))}>
              Remove
            </button>
          </div>
        </fieldset>
      ))}
      <button type="button" onClick={() => onChange([...variables, { name: free(1), kind: 'promql', query: '' }])}>
        Add a variable
      </button>
    </Drawer>
  )
}
