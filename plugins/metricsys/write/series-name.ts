// From the labels of a series, as version 1.0 writes them, to its table and tags.
import {
  DbError,
  nameProblem,
  type SeriesLabel,
  type SeriesName,
  shorten,
  timeColumn,
  valueColumn
} from '../../../core/index.ts'
import { histogramColumn } from './columns.ts'
import { type LabelLimits, LabelReader } from './labels.ts'

const nameLabel = '__name__'
const databaseLabels = ['__schema__', '__database__', 'x_svc_database']
const physicalLabels = ['__physical_table__', 'x_svc_physical_table']
/** Labels that name the database and physical table of a series. They are not stored as tags. */
const routingLabels: ReadonlySet<string> = new Set([...databaseLabels, ...physicalLabels])
const metricForm = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const labelForm = /^[a-zA-Z_][a-zA-Z0-9_]*$/
const own: ReadonlySet<string> = new Set([timeColumn, valueColumn, histogramColumn])

/** How many valid names are remembered, so that they are checked once. */
const maxCheckedNames = 10_000

/** Reads the names of series. Compares each with the one before, because consecutive series share most labels. */
export class SeriesNames {
  readonly #strict: boolean
  readonly #labels: LabelReader
  readonly #exemplarLabels: LabelReader
  readonly #goodMetrics = new Set<string>()
  readonly #goodLabels = new Set<string>()
  /** Tags of the previous series by index; their names are valid. */
  #before: readonly SeriesLabel[] = []

  /** `strict`: names must match `[a-zA-Z_:][a-zA-Z0-9_:]*`. `limits`: of the labels of one series, beside its name. */
  constructor(strict: boolean, limits: () => LabelLimits) {
    this.#strict = strict
    this.#labels = new LabelReader(limits)
    this.#exemplarLabels = new LabelReader(limits)
  }

  /** The name of the series with the labels `bytes[start … end]`. Throws DbError `InvalidArguments` naming the series. */
  read(bytes: Uint8Array, start: number, end: number): SeriesName {
    const labels = this.#labels.read(bytes, start, end)
    const metric = textOf(labels, nameLabel)
    if (metric === '')
      throw new DbError('InvalidArguments', `a series has no metric name (label __name__): ${shown(labels)}`)
    this.checkMetric(metric)
    const tags: SeriesLabel[] = []
    let isRouted = false
    for (const label of labels) {
      const { name, value } = label
      if (value.length === 0 || name === nameLabel) continue
      if (name !== this.#before[tags.length]?.name) {
        if (routingLabels.has(name)) {
          isRouted = true
          continue
        }
        this.checkLabel(name, metric)
      }
      tags.push(label)
    }
    this.#before = tags
    if (!isRouted) return { table: metric, labels: tags }
    const database = firstOf(labels, databaseLabels)?.replace(/^svc-/, '')
    const physicalTable = firstOf(labels, physicalLabels)
    return { table: metric, labels: tags, ...(database && { database }), ...(physicalTable && { physicalTable }) }
  }

  /** The labels of an exemplar; their names are not checked. */
  readLabels(bytes: Uint8Array, start: number, end: number): ReadonlyMap<string, Uint8Array> {
    const labels = this.#exemplarLabels.read(bytes, start, end)
    return new Map(labels.map(({ name, value }) => [name, value]))
  }

  /** Throws DbError `InvalidArguments`. */
  checkMetric(metric: string): void {
    if (this.#goodMetrics.has(metric)) return
    if (this.#strict && !metricForm.test(metric)) {
      throw new DbError(
        'InvalidArguments',
        `metric name ${metric} is not of the form ${metricForm.source} (http.is_strict_mode)`
      )
    }
    const problem = nameProblem('table', metric)
    if (problem !== undefined) throw new DbError('InvalidArguments', problem)
    remember(this.#goodMetrics, metric)
  }

  /** Throws DbError `InvalidArguments`. */
  checkLabel(name: string, metric: string): void {
    if (this.#goodLabels.has(name)) return
    if (this.#strict && !labelForm.test(name)) {
      throw new DbError(
        'InvalidArguments',
        `label name ${name} of metric ${metric} is not of the form ${labelForm.source} (http.is_strict_mode)`
      )
    }
    const problem = nameProblem('column', name)
    if (problem !== undefined) throw new DbError('InvalidArguments', `metric ${metric}: ${problem}`)
    if (own.has(name)) {
      throw new DbError(
        'InvalidArguments',
        `label ${name} of metric ${metric} has the name of a column that holds something else`
      )
    }
    remember(this.#goodLabels, name)
  }
}

function remember(names: Set<string>, name: string): void {
  if (names.size >= maxCheckedNames) names.clear()
  names.add(name)
}

function firstOf(labels: readonly SeriesLabel[], names: readonly string[]): string | undefined {
  return names.map(name => textOf(labels, name)).find(text => text !== '')
}

/** The value of a label, '' without one. */
function textOf(labels: readonly SeriesLabel[], name: string): string {
  const label = labels.find(each => each.name === name)
  return label === undefined ? '' : shownValue(label.value)
}

function shownValue(value: Uint8Array): string {
  // Copied, because V8 moves the memory of short typed arrays when their buffer is asked for.
  return Buffer.from(value).toString()
}

/** The labels for an error message, shortened. */
function shown(labels: readonly SeriesLabel[]): string {
  const text = labels.map(({ name, value }) => `${name}="${shownValue(value)}"`).join(', ')
  return `{${shorten(text, 200)}}`
}
