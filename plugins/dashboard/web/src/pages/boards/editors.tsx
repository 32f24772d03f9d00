// The editors beside a dashboard that is being changed.
import { AnnotationEditor } from './annotation-editor.tsx'
import type { BoardDocument } from './document.ts'
import { PanelEditor } from './panel-editor.tsx'
import { VariableEditor } from './variable-editor.tsx'

/** The part being changed: a panel by its index, the variables, or the annotations. */
export type Edited = number | 'variables' | 'annotations' | undefined

interface EditorsProps {
  readonly document: BoardDocument
  readonly edited: Edited
  onEdit(edited: Edited): void
  onChange(changes: Partial<BoardDocument>): void
}

export function Editors({ document, edited, onEdit, onChange }: EditorsProps) {
  const { panels, variables, annotations = [] } = document
  const close = () => onEdit(undefined)
  if (edited === 'variables')
    return <VariableEditor variables={variables} onChange={variables => onChange({ variables })} onClose={close} />
  if (edited === 'annotations')
    return (
      <AnnotationEditor annotations={annotations} onChange={annotations => onChange({ annotations })} onClose={close} />
    )
  const panel = edited === undefined ? undefined : panels[edited]
  if (edited === undefined || panel === undefined) return null
  return (
    <PanelEditor
      key={edited}
      panel={panel}
      onChange={changed => onChange({ panels: panels.with(edited, changed) })}
      onRemove={() => {
        onChange({ panels: panels.filter((_, i) => i !== edited) })
        close()
      }}
      onClose={close}
    />
  )
}
