// Details at the side; Escape closes it and gives the focus back.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface DrawerProps {
  readonly title: string
  readonly children: ComponentChildren
  onClose(): void
}

export function Drawer({ title, children, onClose }: DrawerProps) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const before = document.activeElement
    button.current!.focus()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <aside
      class="drawer fades"
      aria-label={title}
      onKeyDown={event => {
        if (event.key === 'Escape') onClose()
      }}
    >
      <div class="bar">
        <h2>{title}</h2>
        <span class="space" />
        <button type="button" class="plain" ref={button} onClick={onClose}>
          Close
        </button>
      </div>
      {children}
    </aside>
  )
}
