// Which services there are and what they do, in two small tables beside the spans: only what is new is written.

import type { ColumnData } from '../../../core/index.ts'
import { type Core, type Counter, isValid, type Steps, type Store, type TableWrite } from '../../../core/index.ts'
import { dictionaryBytes } from '../column/text-data.ts'
import { serviceData } from './columns.ts'
import { kindNames } from './field.ts'
import type { Frame } from './frame.ts'
import { type Operation, operationsWrite, servicesWrite } from './lookup-rows.ts'

const servicesTable = (table: string) => `${table}_services`
const operationsTable = (table: string) => `${table}_operations`

/** What was written to the two tables of a table of spans, as long as these are the same. */
interface Known {
  state: string
  readonly services: Set<string>
  readonly operations: Set<string>
}

/** Spans of one step. */
const stepSpans = 1024

/** Tables whose services are remembered. */
const maxTables = 1000

export interface News {
  readonly writes: readonly TableWrite[]
  /** To be called once they are stored. */
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

  /** Rows for what these spans bring that is not in the tables. */
  *news(database: string, table: string, frame: Frame): Steps<News> {
    const found = yield* operationsOf(frame)
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

  /** Another one after somebody dropped, made or emptied one of the tables. */
  #stateOf(database: string, table: string): string {
    const tables = [servicesTable(table), operationsTable(table)].map(name => this.#store.table(database, name))
    return tables.map(found => `${found?.id}.${found?.version}`).join()
  }
}

/** Each once for every resource. Spans without a service have no part in it. */
function* operationsOf(frame: Frame): Steps<Operation[]> {
  const { spans, names, nameTexts, kinds, resourceOf } = frame
  const serviceOf = textReader(yield* serviceData(frame))
  const nameOf = textReader(dictionaryBytes(nameTexts, true))
  const seen = new Set<number>()
  const found: Operation[] = []
  for (let i = 0; i < spans; i++) {
    if (i % stepSpans === stepSpans - 1) yield
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
