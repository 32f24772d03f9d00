// Runs documents over items and shows the written rows as plain objects.
import {
  type Column,
  type Item,
  ItemBatch,
  isValid,
  itemState,
  type TableOptions,
  type TableWrite
} from '../../../core/index.ts'
import { compilePipeline } from '../../../plugins/pipelines/document/compile.ts'
import type { Identity, Pipeline } from '../../../plugins/pipelines/pipeline.ts'
import { type RunSettings, runPipeline } from '../../../plugins/pipelines/run/run.ts'
import { processors } from '../../../plugins/processors.ts'

/** 2025-03-04T05:06:07.000000008Z */
export const now = 1_741_064_767_000_000_008n

export function compile(yaml: string): Pipeline {
  return compilePipeline(yaml, new Map(processors.map(kind => [kind.kind, kind])))
}

export const identity: Identity = { kind: 'identity', maxNestedLevels: 10, lenientTime: false }

export function settings(changes: Partial<RunSettings> = {}): RunSettings {
  return {
    table: 't',
    skipError: false,
    ignoreErrors: false,
    now,
    variablesFromInput: false,
    maxDispatchDepth: 8,
    maxGroups: 1000,
    columns: { max: 2000, key: 'limits.max_columns' },
    options: {},
    pipeline: name => {
      throw new Error(`no pipeline ${name}`)
    },
    existing: () => undefined,
    ...changes
  }
}

export interface ShownWrite {
  readonly table: string
  readonly options: TableOptions | undefined
  readonly columns: readonly string[]
  readonly rows: readonly Record<string, unknown>[]
}

/** Runs a pipeline and shows what it would write. */
export function run(
  pipeline: Pipeline | Identity | string,
  items: readonly Item[],
  changes: Partial<RunSettings> = {}
) {
  const compiled = typeof pipeline === 'string' ? compile(pipeline) : pipeline
  const result = runPipeline(compiled, ItemBatch.from(items), settings(changes))
  return { ...result, shown: result.writes.map(show) }
}

/** The rows of the only write. */
export function rows(pipeline: Pipeline | Identity | string, items: readonly Item[], changes?: Partial<RunSettings>) {
  return run(pipeline, items, changes).shown[0]?.rows ?? []
}

/** What the processors make of one item, its input included; the message where it fails, `dropped` where it is taken out. */
export function processed(processors: string, item: Item): Item | string {
  const text = `version: 1\nprocessors:\n${processors}\ntransform: [{ field: none, type: string }]`
  const batch = ItemBatch.from([item])
  for (const processor of compile(text).processors) processor.apply(batch)
  if (batch.states[0] === itemState.dropped) return 'dropped'
  return batch.failures[0]?.message ?? { ...batch.item(0) }
}

/** A write as plain objects. */
export function show(write: TableWrite): ShownWrite {
  return {
    table: write.table,
    options: write.options,
    columns: write.columns.map(
      ({ name, type, semantic }) => `${name} ${type}${semantic === 'field' ? '' : ` ${semantic}`}`
    ),
    rows: Array.from({ length: write.rows }, (_, row) =>
      Object.fromEntries(write.columns.map(column => [column.name, value(column, row)]))
    )
  }
}

function value({ data, type }: Column, row: number): unknown {
  if (!isValid(data.valid, row)) return null
  if (data.kind === 'fixed') return type === 'Boolean' ? data.values[row] === 1 : data.values[row]
  if (data.kind === 'dictionary') return data.codes[row]
  return Buffer.from(data.bytes.subarray(data.offsets[row]!, data.offsets[row + 1]!)).toString()
}
