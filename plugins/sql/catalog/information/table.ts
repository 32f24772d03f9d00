// A table of information_schema: columns with the engine's types, and rows made when they are asked for.
import type { Pace, Store } from '../../../../core/index.ts'
import type { FlowDefinition } from '../../../services.ts'
import { catalogName } from '../name.ts'
import type { ProcessRow } from '../process-rows.ts'

type Cell = string | number | bigint | null
export type Row = Readonly<Record<string, Cell>>

/** The sources of the rows. */
export interface Sources {
  readonly store: Store
  /** Those the user may see. */
  processes(): readonly ProcessRow[]
  /** Those of a database. */
  flows(database: string): readonly FlowDefinition[]
  /** In the text exposition format. */
  metrics(): Promise<string>
  /** Milliseconds since 1970. */
  readonly startedAt: number
}

export interface InformationTable {
  /** Name and type of each column, also where there are no rows. */
  readonly columns: readonly (readonly [string, string])[]
  rows(sources: Sources, pace: Pace): readonly Row[] | Promise<readonly Row[]>
}

/** The cells that say which table or view a row is about. */
export function named({ database, name }: { readonly database: string; readonly name: string }) {
  return { table_catalog: catalogName, table_schema: database, table_name: name }
}

/** `a b:UBIGINT`: names with their types, text where none is said. */
export function columns(words: string): InformationTable['columns'] {
  return words
    .trim()
    .split(/\s+/)
    .map(word => {
      const [name, type = 'VARCHAR'] = word.split(':')
      return [name!, type] as const
    })
}

/** Seconds, as the engine reads them. */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19)
}
