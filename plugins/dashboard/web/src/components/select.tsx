// One of a few words, under its name.
interface SelectProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly T[]
  onChange(value: T): void
}

export function Select<T extends string>({ label, value, options, onChange }: SelectProps<T>) {
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
