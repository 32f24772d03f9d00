// From the labels of a series, as version 1.0 writes them, to its table and tags.
import { isUtf8 } from 'node:buffer'
import { DbError, nameProblem, ProtoReader, type SeriesLabel, type SeriesName } from '../../../core/index.ts'
import { histogramColumn, timeColumn, valueColumn } from './columns.ts'

const databaseLabels = ['__schema__', '__database__', 'x_svc_database']
const physicalLabels = ['__physical_table__', 'x_svc_physical_table']
const metricForm = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const labelForm = /^[a-zA-Z_][a-zA-Z0-9_]*$/

/** Reads `bytes[start … end]`. `strict` asks for names of the classic form. Throws DbError `InvalidArguments` naming the series. */
export function readSeriesName(bytes: Uint8Array, start: number, end: number, strict: boolean): SeriesName {
  const labels = readLabels(bytes, start, end)
  const metric = labels.get('__name__')?.toString() ?? ''
  if (metric === '') throw invalid(`a series has no metric name (label __name__): ${shown(labels)}`)
  if (strict && !metricForm.test(metric))
    throw invalid(`metric name ${metric} is not of the form ${metricForm.source} (http.is_strict_mode)`)
  const problem = nameProblem('table', metric)
  if (problem !== undefined) throw invalid(problem)
  const database = firstOf(labels, databaseLabels)?.replace(/^svc-/, '')
  const physicalTable = firstOf(labels, physicalLabels)
  for (const name of ['__name__', ...databaseLabels, ...physicalLabels]) labels.delete(name)
  return {
    table: metric,
    labels: Array.from(labels, ([name, value]) => checked(metric, name, value, strict)),
    ...(database && { database }),
    ...(physicalTable && { physicalTable })
  }
}

/** By name; values without a byte are left out, they mean that there is no such label. */
export function readLabels(bytes: Uint8Array, start: number, end: number): Map<string, Buffer> {
  const labels = new Map<string, Buffer>()
  const seen = new Set<string>()
  const reader = new ProtoReader(bytes, start, end)
  while (reader.next()) {
    const label = reader.message()
    let name = ''
    let value: Uint8Array = new Uint8Array()
    while (label.next()) {
      if (label.field === 1) name = label.text()
      else if (label.field === 2) value = label.data()
      else label.skip()
    }
    if (seen.has(name)) throw invalid(`label ${name} is given twice: ${shown(labels)}`)
    if (!isUtf8(value)) throw invalid(`the value of label ${name} is not valid UTF-8: ${shown(labels)}`)
    seen.add(name)
    // A copy: it outlives the request.
    if (value.length > 0) labels.set(name, Buffer.from(value))
  }
  return labels
}

function checked(metric: string, name: string, value: Buffer, strict: boolean): SeriesLabel {
  if (strict && !labelForm.test(name))
    throw invalid(`label name ${name} of metric ${metric} is not of the form ${labelForm.source} (http.is_strict_mode)`)
  const problem = nameProblem('column', name)
  if (problem !== undefined) throw invalid(`metric ${metric}: ${problem}`)
  if (name === timeColumn || name === valueColumn || name === histogramColumn) {
    throw invalid(`label ${name} of metric ${metric} has the name of a column that holds something else`)
  }
  return { name, value }
}

function firstOf(labels: ReadonlyMap<string, Buffer>, names: readonly string[]): string | undefined {
  return names.map(name => labels.get(name)?.toString()).find(value => value !== undefined)
}

/** The labels read so far, shortened. */
function shown(labels: ReadonlyMap<string, Buffer>): string {
  const text = Array.from(labels, ([name, value]) => `${name}="${value}"`).join(', ')
  return `{${text.length > 200 ? `${text.slice(0, 200)}…` : text}}`
}

function invalid(message: string): DbError {
  return new DbError('InvalidArguments', message)
}
