// The annotations of a dashboard, to change.
import { Drawer } from '../../components/drawer.tsx'
import type { Annotation } from '../../components/use-marks.ts'

interface AnnotationEditorProps {
  readonly annotations: readonly Annotation[]
  onChange(annotations: readonly Annotation[]): void
  onClose(): void
}

export function AnnotationEditor({ annotations, onChange, onClose }: AnnotationEditorProps) {
  return (
    <Drawer title="Annotations" onClose={onClose}>
      <p class="quiet">
        Where an expression of PromQL begins to have a value, all charts have a line. It may say $name.
      </p>
      {annotations.map((annotation, i) => (
        <fieldset class="stack query" key={i}>
          <legend class="quiet">Annotation {i + 1}</legend>
          <label class="field">
            <span>Expression</span>
            <textarea
              rows={2}
              placeholder="changes(app_version[5m]) > 0"
              value={annotation.text}
              onChange={event => onChange(annotations.with(i, { ...annotation, text: event.currentTarget.value }))}
            />
          </label>
          <label class="field">
            <span>Called</span>
            <input
              placeholder="deploy of {{version}}"
              value={annotation.title ?? ''}
              onChange={event => onChange(annotations.with(i, called(annotation, event.currentTarget.value)))}
            />
          </label>
          <div class="bar">
            <span class="space" />
            <button type="button" class="plain" onClick={() => onChange(annotations.filter((_, at) => at !== i))}>
              Remove
            </button>
          </div>
        </fieldset>
      ))}
      <button type="button" onClick={() => onChange([...annotations, { text: '' }])}>
        Add an annotation
      </button>
    </Drawer>
  )
}

function called({ text }: Annotation, title: string): Annotation {
  return { text, ...(title.trim() !== '' && { title }) }
}
