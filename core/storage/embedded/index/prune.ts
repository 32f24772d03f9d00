// Which row groups of a file can hold rows a statement asks for.
import type { Table } from '../../../model/table.ts'
import type { Condition } from '../../engine.ts'
import { mergesFields } from '../../logical.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { blockWords, mayHold } from './bloom.ts'
import { foldTerm } from './fold.ts'
import type { Filters, IndexReader } from './index-reader.ts'
import { addTermTokens } from './token.ts'
import { addValue } from './value-hash.ts'

/** Numbers of row groups, ascending, that may hold rows which are asked for; undefined: all. */
export type Groups = readonly number[] | undefined

/** The result of asking the indexes of a file. */
export interface Pruned {
  /** Where every row is its only version, and where newer versions, which must not be left out, may hide others. */
  readonly scan: Groups
  readonly merge: Groups
  /** Groups of the file; 0 when no index knows anything. */
  readonly groups: number
}

/** Per row group: 1 where rows may be. */
type Mask = Uint8Array | undefined

/** Whether it says anything that indexes may know. */
export function asksIndexes(where: Condition): boolean {
  return where.kind === 'all' || where.kind === 'any'
    ? where.of.some(asksIndexes)
    : where.kind === 'term' || where.kind === 'equals'
}

/** Looks into the index sidecar as far as the condition needs it. */
export async function pruneFile(
  reader: IndexReader,
  table: Table,
  file: DataFile,
  condition: Condition
): Promise<Pruned> {
  const disjoint = await evaluate(reader, table, file, condition, false)
  // An older version must not show because the newer one, which hides it, was left out: only what all versions share counts.
  const overlapping =
    table.options.append_mode || disjoint === undefined
      ? disjoint
      : await evaluate(reader, table, file, condition, true)
  return { scan: groupsOf(disjoint), merge: groupsOf(overlapping), groups: disjoint?.length ?? 0 }
}

function groupsOf(mask: Mask): Groups {
  if (mask === undefined || mask.every(bit => bit === 1)) return undefined
  return Array.from(mask.keys()).filter(id => mask[id] === 1)
}

async function evaluate(
  reader: IndexReader,
  table: Table,
  file: DataFile,
  condition: Condition,
  onlyKeys: boolean
): Promise<Mask> {
  if (condition.kind === 'time' || condition.kind === 'latest' || condition.kind === 'last') return undefined
  if (condition.kind === 'contains') return undefined
  if (condition.kind === 'all' || condition.kind === 'any') {
    const masks: Mask[] = []
    for (const each of condition.of) masks.push(await evaluate(reader, table, file, each, onlyKeys))
    return condition.kind === 'all' ? both(masks) : either(masks)
  }
  const column = table.columns.find(({ name }) => name === condition.column)
  if (column?.index === undefined || !file.columns.includes(column.id) || (onlyKeys && column.semantic !== 'tag'))
    return undefined
  // Filters know neither values from before a column changed its type nor those filled in at the end.
  if (column.was !== undefined || (column.initial !== undefined && mergesFields(table))) return undefined
  if (condition.kind === 'equals') {
    const filters = await reader.filters(file, column.id, ['values'])
    if (filters === undefined) reader.miss(file)
    return filters && probe(filters, valueHashes(condition.value))
  }
  const folded = foldTerm(condition.term)
  const filters =
    (condition.folded ? undefined : await reader.filters(file, column.id, ['terms'])) ??
    (folded === undefined ? undefined : await reader.filters(file, column.id, ['folded_terms']))
  if (filters === undefined) {
    reader.miss(file)
    return undefined
  }
  return probe(filters, termHashes(filters.section.kind === 'terms' ? condition.term : folded!))
}

function both(masks: readonly Mask[]): Mask {
  return masks.reduce((a, b) => (a && b ? a.map((bit, i) => bit & b[i]!) : (a ?? b)), undefined)
}

function either(masks: readonly Mask[]): Mask {
  if (masks.length === 0) return undefined
  return masks.reduce((a, b) => a && b && a.map((bit, i) => bit | b[i]!))
}

type Hash = readonly [low: number, high: number]

function valueHashes(value: string): readonly Hash[] {
  const hashes: Hash[] = []
  const bytes = Buffer.from(value)
  addValue(bytes, 0, bytes.length, { add: (low, high) => hashes.push([low, high]) })
  return hashes
}

function termHashes(term: string): readonly Hash[] {
  const hashes: Hash[] = []
  addTermTokens(Buffer.from(term), { add: (low, high) => hashes.push([low, high]) })
  return hashes
}

/** Groups that may hold all the hashes. */
function probe({ section, words }: Filters, hashes: readonly Hash[]): Mask {
  const mask = new Uint8Array(section.blocks.length)
  let start = 0
  section.blocks.forEach((blocks, id) => {
    const may = blocks < 0 || hashes.every(([low, high]) => mayHold(words, start, blocks, low, high))
    mask[id] = may ? 1 : 0
    start += Math.max(blocks, 0) * blockWords
  })
  return mask
}
