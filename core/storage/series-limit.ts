// How far new series may make tables grow: memory is taken for every series, tag and table, so there is an end to each.
import { DbError } from '../errors.ts'
import type { Limit, SeriesLabel, SeriesName, SeriesWrite } from '../model/series.ts'
import type { Table } from '../model/table.ts'
import type { Catalog } from './engine.ts'
import type { TableShape } from './series-shape.ts'

export interface SeriesRoom {
  /** Counts one more series, unless the table has it. Throws DbError `InvalidArguments` naming the limit it does not fit into. */
  take(shape: TableShape, name: SeriesName): void
}

/** What a physical table holds, and what this write adds. */
interface Holder {
  series: number
  /** All unknown keys fit even if each is a new series: nobody has to look. */
  readonly isRoomy: boolean
  readonly tags: Set<string>
  /** Of the last series, all of them in `tags`. */
  known: readonly SeriesLabel[]
}

/** The room there is for new series of one write, of which so many keys are unknown. */
export function createRoom(catalog: Catalog, { limits }: SeriesWrite, unknown: number): SeriesRoom {
  const holders = new Map<string, Holder>()
  const ofShapes = new Map<TableShape, Holder>()
  const tables = new Map<string, number>()
  const findHolder = ({ database, table, name, physicalTable }: TableShape): Holder => {
    const physical = table === undefined ? physicalTable : (table.options.physical_table ?? name)
    const key = `${database}\0${physical}`
    let holder = holders.get(key)
    if (holder === undefined) {
      const found = catalog.table(database, physical)
      const series = found === undefined ? 0 : (catalog.statistics(found).series ?? 0)
      const isRoomy = series + unknown <= limits.series.most
      holder = { series, isRoomy, tags: new Set(found?.tags.map(tag => tag.name)), known: [] }
      holders.set(key, holder)
    }
    return holder
  }
  const holderOf = (shape: TableShape): Holder => {
    const holder = ofShapes.get(shape) ?? findHolder(shape)
    ofShapes.set(shape, holder)
    return holder
  }
  return {
    take(shape, name) {
      const holder = holderOf(shape)
      // Keys are forgotten at a restart, series are not.
      if (!holder.isRoomy && shape.table !== undefined && catalog.knowsSeries(shape.table, name.labels)) return
      check(holder.series + 1, limits.series, 'series')
      const added = addedTags(name.labels, holder)
      check(holder.tags.size + added.length, limits.tags, 'label names', added.length > 0)
      if (shape.table === undefined && shape.series.length === 0) {
        const count = (tables.get(shape.database) ?? catalog.tables(shape.database).length) + 1
        check(count, limits.tables, 'tables')
        tables.set(shape.database, count)
      }
      holder.series++
      for (const tag of added) holder.tags.add(tag)
      holder.known = name.labels
    }
  }
}

/** The room for series of one table at this moment: nobody else may run before they are added. */
export function seriesRoom(catalog: Catalog, database: string, table: Table, limit: Limit) {
  const physical = catalog.table(database, table.options.physical_table ?? table.name)
  let series = physical === undefined ? 0 : (catalog.statistics(physical).series ?? 0)
  return {
    /** Counts one more of so many at most, unless the table has it. Throws DbError `InvalidArguments` naming the limit. */
    take(labels: readonly SeriesLabel[], most: number): void {
      if (series + most > limit.most && catalog.knowsSeries(table, labels)) return
      check(series + 1, limit, 'series')
      series++
    }
  }
}

const none: readonly string[] = []

/** Mostly there are none, and the labels are those of the series before. */
function addedTags(labels: readonly SeriesLabel[], { tags, known }: Holder): readonly string[] {
  for (let i = 0; i < labels.length; i++) {
    const { name } = labels[i]!
    if (name === known[i]?.name || tags.has(name)) continue
    return labels.map(label => label.name).filter(each => !tags.has(each))
  }
  return none
}

function check(count: number, limit: Limit, what: string, grows = true): void {
  if (!grows || count <= limit.most) return
  throw noRoom(limit, what)
}

export function noRoom({ most, key }: Limit, what: string): DbError {
  return new DbError('InvalidArguments', `a new series does not fit: there are ${most} ${what} already (${key})`)
}
