// How rows were read: counted in /metrics, and shown by EXPLAIN.
import { basename } from 'node:path'
import type { Table } from '../../../model/table.ts'
import type { PartRead } from '../../engine.ts'
import type { Memtable } from '../memory/memtable.ts'
import type { FileCounts } from '../read/file-parts.ts'
import { isFile, type Plan, type Step } from '../read/plan.ts'
import type { ReadDependencies } from './snapshot.ts'

/** Counts what a query reads, and how; returns it. */
export function counted<P extends Pick<Plan<Memtable>, 'steps'>>(
  { metrics }: Pick<ReadDependencies, 'metrics'>,
  plan: P
): P {
  for (const { part, path, groups, known = 0 } of plan.steps) {
    metrics.partsRead.add(1, { part: isFile(part) ? 'file' : 'memory', path })
    if (known === 0) continue
    const read = groups?.length ?? known
    if (read > 0) metrics.index.groups.add(read, { result: 'read' })
    if (read < known) metrics.index.groups.add(known - read, { result: 'skipped' })
  }
  return plan
}

/** Counts of the reading threads, by path of the file. */
export class ReadCounts {
  readonly #files = new Map<string, { readonly groups: Set<number>; known: number; hits: number; misses: number }>()

  add(paths: readonly string[], counts: readonly FileCounts[]): void {
    for (const [i, { groups, known, hits, misses }] of counts.entries()) {
      const path = paths[i]!
      const file = this.#files.get(path) ?? { groups: new Set(), known, hits: 0, misses: 0 }
      for (const group of groups) file.groups.add(group)
      file.hits += hits
      file.misses += misses
      this.#files.set(path, file)
    }
  }

  /** A file that no thread was asked for yet is one of no row groups. */
  of(path: string): Pick<PartRead, 'groups' | 'pages'> {
    const file = this.#files.get(path)
    if (file === undefined) return {}
    const { groups, known, hits, misses } = file
    return { groups: { read: groups.size, pruned: known - groups.size }, pages: { hits, misses } }
  }
}

/** For people: files go by their number, which is the name of the file in the folder of its table. */
export function shown({ database, name }: Table, steps: readonly Step<Memtable>[], counts?: ReadCounts): PartRead[] {
  let memtables = 0
  return steps.map(({ part, path, reason, groups, known = 0 }) => {
    const read = groups?.length ?? known
    return {
      table: `${database}.${name}`,
      part: isFile(part) ? `file ${basename(part.path, '.parquet')}` : `memory ${++memtables}`,
      path,
      reason,
      rows: part.rows,
      bytes: part.bytes,
      ...(!isFile(part) && path === 'series' && { sorted: sortedRows(part) }),
      ...(known > 0 && { groups: { read, pruned: known - read } }),
      ...(isFile(part) && counts?.of(part.path))
    }
  })
}

function sortedRows({ writes }: Memtable): number {
  return writes.reduce((sum, { rows, isSorted }) => (isSorted ? sum + rows : sum), 0)
}
