// Keeps the services and operations of spans in two small tables. Only new ones are written.

import type { ColumnData } from '../../../core/index.ts'
import {
  type Core,
  type Counter,
  endsStep,
  isValid,
  type Steps,
  type Store,
  type TableWrite
} from '../../../core/index.ts'
import { dictionaryBytes } from '../column/text-data.ts'
import { serviceData } from './columns.ts'
import { kindNames } from './field.ts'
import { type Operation, operationsWrite, servicesWrite } from './lookup-rows.ts'
import type { SpanBatch } from './span-batch.ts'

const servicesTable = (table: string) => `${table}_services`
const operationsTable = (table: string) => `${table}_operations`

/** Services and operations already written for one table of spans; valid until one of the tables changes. */
interface Known {
  state: string
  readonly services: Set<string>
  readonly operations: Set<string>
}

/** Spans handled between two yields to other requests. */
const stepSpans = 1024

/** Largest number of span tables whose services are remembered. */
const maxTables = 1000

interface News {
  readonly writes: readonly TableWrite[]
  /** Called after the rows are stored. */
  keep(): void
}

export class Lookup {
  readonly #store: Store
  readonly #maxOperations: number
  readonly #leftOut: Counter
  readonly #known = new Map<string, Known>()

  constructor({ store, metrics }: Pick<Core, 'store' | 'metrics'>, maxOperations: number) {
    this.#store = store
    this.#maxOperations = maxOperations
    const help = 'Times an operation of a service was not listed because there are too many (max_operations).'
    this.#leftOut = metrics.counter('svc_telemetry_operations_left_out_total', help)
  }

  /** Rows for services and operations that are not in the tables yet. */
  *news(database: string, table: string, batch: SpanBatch): Steps<News> {
    const found = yield* operationsOf(batch)
    const known = this.#knownOf(database, table)
    const services = new Set<string>()
    const operations = new Map<string, Operation>()
    for (const operation of found) {
      const { service, name, kind } = operation
      const key = `${service}\0${name}\0${kind}`
      if (!known.services.has(service)) services.add(service)
      if (known.operations.has(key)) continue
      if (known.operations.size + operations.size < this.#maxOperations) operations.set(key, operation)
      else this.#leftOut.add(1)
    }
    const writes = [
      ...servicesWrite(servicesTable(table), [...services]),
      ...operationsWrite(operationsTable(table), [...operations.values()])
    ]
    const keep = () => {
      for (const service of services) known.services.add(service)
      for (const key of operations.keys()) known.operations.add(key)
      if (writes.length > 0) known.state = this.#stateOf(database, table)
    }
    return { writes, keep }
  }

  #knownOf(database: string, table: string): Known {
    const key = `${database}\0${table}`
    const state = this.#stateOf(database, table)
    const found = this.#known.get(key)
    if (found?.state === state) return found
    if (this.#known.size >= maxTables) this.#known.clear()
    const known = { state, services: new Set<string>(), operations: new Set<string>() }
    this.#known.set(key, known)
    return known
  }

  /** Changes when one of the tables is dropped, created or truncated. */
  #stateOf(database: string, table: string): string {
    const tables = [servicesTable(table), operationsTable(table)].map(name => this.#store.table(database, name))
    return tables.map(found => `${found?.id}.${found?.version}`).join()
  }
}

/** The distinct operations of each resource; spans without a service are skipped. */
function* operationsOf(batch: SpanBatch): Steps<Operation[]> {
  const { spans, names, nameTexts, kinds, resourceOf } = batch
  const serviceOf = textReader(yield* serviceData(batch))
  const nameOf = textReader(dictionaryBytes(nameTexts, true))
  const seen = new Set<number>()
  const found: Operation[] = []
  for (let i = 0; i < spans; i++) {
    if (endsStep(i, stepSpans)) yield
    const key = (resourceOf[i]! * kindNames.length + kinds[i]!) * (nameTexts.count + 1) + names[i]!
    if (seen.has(key)) continue
    seen.add(key)
    const service = serviceOf(resourceOf[i]!)
    if (service !== undefined) found.push({ service, name: nameOf(names[i]!) ?? '', kind: kindNames[kinds[i]!]! })
  }
  return found
}

function textReader(data: ColumnData): (row: number) => string | undefined {
  if (data.kind === 'fixed') return () => undefined
  const { offsets, bytes } = data.kind === 'bytes' ? data : data.dictionary
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return row => {
    if (!isValid(data.valid, row)) return undefined
    const at = data.kind === 'bytes' ? row : data.codes[row]!
    return all.toString('utf8', offsets[at], offsets[at + 1])
  }
}
