// Parquet: sends each row group when its rows are complete, and the footer at the end.
import { ParquetWriter } from '../storage/embedded/parquet/index.ts'
import type { RecordsAnswer, ResultFormat } from './answer.ts'
import { groupColumn } from './parquet-column.ts'

/** Maximum rows, values and bytes of a row group: bounds memory, and the time of compressing without a pause (some ten milliseconds). */
const groupRows = 1 << 15
const groupValues = 1 << 19
const groupBytes = 1 << 23

/** Rows collected without a pause. */
const stepRows = 2048
const stepValues = 1 << 16

export const parquet: ResultFormat = {
  header: 'parquet',
  contentType: 'application/vnd.apache.parquet',
  several: false,
  async *encode([answer]) {
    if (answer !== undefined) yield* write(answer.kind === 'records' ? answer : affected(answer.rows))
  }
}

/** A statement that changed rows gives a file with one row, their number. */
function affected(rows: number): RecordsAnswer {
  return {
    kind: 'records',
    columns: [{ name: 'affected_rows', type: 'Int64' }],
    async *batches() {
      yield { rows: 1, columns: [{ values: [rows] }] }
    }
  }
}

async function* write(answer: RecordsAnswer): AsyncGenerator<Uint8Array> {
  const names = uniqueNames(answer.columns.map(({ name }) => name))
  const columns = answer.columns.map(({ type }, c) => groupColumn(names[c]!, type))
  const written: Uint8Array[] = []
  const writer = new ParquetWriter(
    columns.map(({ column }) => column),
    bytes => void written.push(bytes.slice()),
    // One page per column and row group, because the writer keeps every page's bounds in memory.
    { pageRows: groupRows }
  )
  const maxRows = Math.min(groupRows, groupValues / columns.length)
  let rows = 0
  const close = () => {
    if (rows > 0)
      writer.writeRowGroup(
        rows,
        columns.map(column => column.take())
      )
    rows = 0
    return written.splice(0)
  }
  for await (const batch of answer.batches()) {
    const step = Math.max(1, Math.min(stepRows, Math.floor(stepValues / columns.length)))
    for (let from = 0; from < batch.rows; from += step) {
      const to = Math.min(batch.rows, from + step)
      for (const [c, column] of columns.entries()) column.add(batch.columns[c]!, from, to)
      rows += to - from
      if (rows >= maxRows || columns.reduce((sum, column) => sum + column.bytes(), 0) >= groupBytes) yield* close()
      // An empty piece lets other work run.
      else yield new Uint8Array(0)
    }
  }
  yield* close()
  writer.finish()
  yield* written
}

/** Makes names unique, because readers look columns up by name: the second `a` becomes `a_1`. */
function uniqueNames(names: readonly string[]): readonly string[] {
  const used = new Set<string>()
  return names.map(name => {
    let unique = name
    for (let i = 1; used.has(unique); i++) unique = `${name}_${i}`
    used.add(unique)
    return unique
  })
}
