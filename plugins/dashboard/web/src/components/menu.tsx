// A button with a sheet below it. The browser closes the sheet on Escape, on a click outside of it, and when another one opens.
import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'

/** Pixels between a sheet and the edges of the window, and between a sheet and its button. */
const gap = 8

interface MenuProps {
  readonly title: ComponentChildren
  /** Read aloud instead of the title. */
  readonly label?: string
  readonly class?: string
  /** A function is given what closes the sheet. */
  readonly children: ComponentChildren | ((close: () => void) => ComponentChildren)
}

export function Menu({ title, label, class: extra = '', children }: MenuProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const sheet = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const follow = (event: Event) => {
    const isNowOpen = (event as ToggleEvent).newState === 'open'
    setOpen(isNowOpen)
    if (isNowOpen) position(button.current!, sheet.current!)
  }
  return (
    <span class={`menu ${extra}`}>
      <button type="button" ref={button} popovertarget={id} aria-expanded={isOpen} aria-label={label}>
        {title}
      </button>
      <div class="sheet" id={id} ref={sheet} popover="auto" onToggle={follow}>
        {typeof children === 'function' ? children(() => sheet.current?.hidePopover()) : children}
      </div>
    </span>
  )
}

/** Below the button, or above it where there is more room, and always inside of the window. */
function position(button: HTMLElement, sheet: HTMLElement): void {
  const at = button.getBoundingClientRect()
  const { innerWidth, innerHeight } = window
  sheet.style.maxWidth = `${innerWidth - 2 * gap}px`
  const [below, above] = [innerHeight - at.bottom - 2 * gap, at.top - 2 * gap]
  const isBelow = sheet.scrollHeight <= below || below >= above
  sheet.style.maxHeight = `${Math.max(80, isBelow ? below : above)}px`
  const { width, height } = sheet.getBoundingClientRect()
  const left = at.left + width + gap <= innerWidth ? at.left : at.right - width
  sheet.style.left = `${Math.max(gap, Math.min(left, innerWidth - width - gap))}px`
  sheet.style.top = `${isBelow ? at.bottom + gap / 2 : at.top - height - gap / 2}px`
}
