// Figures in a row of cards: a title, the figure, and a note below it.

export type Tile = readonly [title: string, figure: string, note: string]

export function Tiles({ tiles }: { readonly tiles: readonly Tile[] }) {
  return (
    <div class="tiles">
      {tiles.map(([title, figure, note]) => (
        <div class="card" key={title}>
          <span class="quiet">{title}</span>
          <strong>{figure}</strong>
          <span class="quiet">{note}</span>
        </div>
      ))}
    </div>
  )
}
