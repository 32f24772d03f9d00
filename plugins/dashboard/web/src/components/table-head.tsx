// The heads of a table's columns.

export function TableHead({ titles, isHidden }: { readonly titles: readonly string[]; readonly isHidden?: boolean }) {
  return (
    <thead class={isHidden ? 'hidden-label' : undefined}>
      <tr>
        {titles.map(title => (
          <th key={title} scope="col">
            {title}
          </th>
        ))}
      </tr>
    </thead>
  )
}
