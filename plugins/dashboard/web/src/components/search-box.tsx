// A text that rows are looked for by, as it is typed.

interface SearchBoxProps {
  readonly label: string
  /** The label where there is none. */
  readonly placeholder?: string
  readonly value: string
  onChange(value: string): void
}

export function SearchBox({ label, placeholder = label, value, onChange }: SearchBoxProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={value}
      onInput={event => onChange(event.currentTarget.value)}
    />
  )
}
