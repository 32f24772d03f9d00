// A text to send: pasted, chosen or dropped as a file.
import { useState } from 'preact/hooks'
import { formatBytes } from '../../time.ts'

interface DropAreaProps {
  readonly body: string | File
  readonly example: string
  onChange(body: string | File): void
}

export function DropArea({ body, example, onChange }: DropAreaProps) {
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const file = event.dataTransfer?.files[0]
    if (file !== undefined) onChange(file)
  }
  const over = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  if (typeof body !== 'string') {
    return (
      <p class="bar">
        {body.name}, {formatBytes(body.size)}
        <button type="button" onClick={() => onChange('')}>
          Remove
        </button>
      </p>
    )
  }
  return (
    <>
      <textarea
        class={isOver ? 'over' : undefined}
        aria-label="Data"
        rows={7}
        placeholder={example}
        value={body}
        onInput={event => onChange(event.currentTarget.value)}
        onDrop={drop}
        onDragOver={over}
        onDragLeave={() => setOver(false)}
      />
      <label class="bar">
        <span class="quiet">or a file</span>
        <input
          type="file"
          aria-label="File"
          onChange={event => {
            const file = event.currentTarget.files?.[0]
            if (file !== undefined) onChange(file)
          }}
        />
      </label>
    </>
  )
}
