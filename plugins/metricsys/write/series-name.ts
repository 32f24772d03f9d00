// From the labels of a series, as version 1.0 writes them, to its table and tags.
import { DbError, nameProblem, type SeriesLabel, type SeriesName } from '../../../core/index.ts'
import { histogramColumn, timeColumn, valueColumn } from './columns.ts'
import { LabelReader, type Labels } from './labels.ts'

const nameLabel = '__name__'
const databaseLabels = ['__schema__', '__database__', 'x_svc_database']
const physicalLabels = ['__physical_table__', 'x_svc_physical_table']
const special: ReadonlySet<string> = new Set([nameLabel, ...databaseLabels, ...physicalLabels])
const metricForm = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const labelForm = /^[a-zA-Z_][a-zA-Z0-9_]*$/
const own: ReadonlySet<string> = new Set([timeColumn, valueColumn, histogramColumn])

/** Names that are remembered as good, so that they are not looked at again. */
const mostChecked = 10_000

/** Reads the names of series; one after the other they are much alike, which it makes use of. */
export class SeriesNames {
  readonly #strict: boolean
  readonly #labels = new LabelReader()
  readonly #goodMetrics = new Set<string>()
  readonly #goodLabels = new Set<string>()

  /** `strict` asks for names of the classic form. */
  constructor(strict: boolean) {
    this.#strict = strict
  }

  /** Of the labels `bytes[start … end]`; the values are parts of `bytes`. Throws DbError `InvalidArguments` naming the series. */
  read(bytes: Uint8Array, start: number, end: number): SeriesName {
    const labels = this.#labels.read(bytes, start, end)
    const metric = textOf(labels.get(nameLabel)) ?? ''
    if (metric === '') throw invalid(`a series has no metric name (label __name__): ${shown(labels)}`)
    this.checkMetric(metric)
    const tags: SeriesLabel[] = []
    for (const [name, value] of labels) {
      if (special.has(name) || value.length === 0) continue
      this.checkLabel(name, metric)
      tags.push({ name, value })
    }
    const database = firstOf(labels, databaseLabels)?.replace(/^svc-/, '')
    const physicalTable = firstOf(labels, physicalLabels)
    return { table: metric, labels: tags, ...(database && { database }), ...(physicalTable && { physicalTable }) }
  }

  /** Of an exemplar: names are not held to any form. */
  readLabels(bytes: Uint8Array, start: number, end: number): Labels {
    return this.#labels.read(bytes, start, end)
  }

  /** Throws DbError `InvalidArguments`. */
  checkMetric(metric: string): void {
    if (this.#goodMetrics.has(metric)) return
    if (this.#strict && !metricForm.test(metric)) {
      throw invalid(`metric name ${metric} is not of the form ${metricForm.source} (http.is_strict_mode)`)
    }
    const problem = nameProblem('table', metric)
    if (problem !== undefined) throw invalid(problem)
    remember(this.#goodMetrics, metric)
  }

  /** Throws DbError `InvalidArguments`. */
  checkLabel(name: string, metric: string): void {
    if (this.#goodLabels.has(name)) return
    if (this.#strict && !labelForm.test(name)) {
      throw invalid(
        `label name ${name} of metric ${metric} is not of the form ${labelForm.source} (http.is_strict_mode)`
      )
    }
    const problem = nameProblem('column', name)
    if (problem !== undefined) throw invalid(`metric ${metric}: ${problem}`)
    if (own.has(name)) {
      throw invalid(`label ${name} of metric ${metric} has the name of a column that holds something else`)
    }
    remember(this.#goodLabels, name)
  }
}

function remember(names: Set<string>, name: string): void {
  if (names.size >= mostChecked) names.clear()
  names.add(name)
}

function firstOf(labels: Labels, names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = textOf(labels.get(name))
    if (text) return text
  }
  return undefined
}

function textOf(value: Uint8Array | undefined): string | undefined {
  return value && Buffer.from(value.buffer, value.byteOffset, value.length).toString()
}

/** The labels, shortened. */
function shown(labels: Labels): string {
  const text = Array.from(labels, ([name, value]) => `${name}="${textOf(value)}"`).join(', ')
  return `{${text.length > 200 ? `${text.slice(0, 200)}…` : text}}`
}

function invalid(message: string): DbError {
  return new DbError('InvalidArguments', message)
}
