// Panels of the dashboards shipped with the server, in the format the dashboard page reads.

export interface ShippedPanel {
  readonly title: string
  readonly kind: 'row' | 'chart' | 'stat' | 'table' | 'logs'
  /** Width in columns of the grid, which has 24. */
  readonly width: number
  /** Height in rows of the grid, some 30 pixels each. */
  readonly height: number
  readonly queries: readonly {
    readonly language: 'promql' | 'sql' | 'logs'
    readonly text: string
    readonly legend?: string
  }[]
  readonly unit?: string
  readonly style?: 'lines' | 'area' | 'bars' | 'points'
  readonly stacked?: boolean
}

interface ShippedVariable {
  readonly name: string
  readonly kind: 'promql' | 'sql' | 'custom' | 'text'
  readonly query: string
  readonly multi?: boolean
  readonly all?: boolean
}

export interface ShippedBoard {
  readonly title: string
  /** The database to query. Absent: the session's. */
  readonly db?: string
  readonly variables: readonly ShippedVariable[]
  readonly panels: readonly ShippedPanel[]
}

export const row = (title: string): ShippedPanel => ({ title, kind: 'row', width: 24, height: 1, queries: [] })

/** A chart of PromQL over time; each expression is followed by its legend. */
export function chart(
  title: string,
  texts: Readonly<Record<string, string>> | string,
  options: Partial<ShippedPanel> = {}
): ShippedPanel {
  const pairs = typeof texts === 'string' ? [[texts, ''] as const] : Object.entries(texts)
  const queries = pairs.map(([text, legend]) => ({
    language: 'promql' as const,
    text,
    ...(legend !== '' && { legend })
  }))
  return { title, kind: 'chart', width: 12, height: 8, queries, ...options }
}

export function stat(title: string, text: string, options: Partial<ShippedPanel> = {}): ShippedPanel {
  return { title, kind: 'stat', width: 6, height: 4, queries: [{ language: 'promql', text }], ...options }
}
