import type {
  BytesData,
  Column,
  ColumnData,
  ColumnType,
  DictionaryData,
  FixedData,
  RequestContext,
  ResultBatch,
  ResultColumn,
  Steps,
  Store
} from 'weir-server'
import { Pace, runPaced, textColumnOf } from 'weir-server'

/** A batch of a result as columns of a write, with its origin as one more. */
function* columnsOf(columns: readonly ResultColumn[], { rows, columns: vectors }: ResultBatch): Steps<Column[]> {
  const made: Column[] = [{ name: 'origin', type: 'String', semantic: 'field', data: repeated('copied', rows) }]
  for (const [i, { values, valid }] of vectors.entries()) {
    const { name, type } = columns[i]!
    const data: ColumnData = ArrayBuffer.isView(values)
      ? numbers(values, valid)
      : texts(values.map(value => (value === null ? undefined : String(value))))
    made.push({ name, type: type as ColumnType, semantic: type.startsWith('Timestamp') ? 'timestamp' : 'field', data })
    yield
  }
  return made
}

const numbers = (values: FixedData['values'], valid: Uint8Array | undefined): FixedData =>
  valid === undefined ? { kind: 'fixed', values } : { kind: 'fixed', values, valid }

const texts = (values: readonly (string | undefined)[]): BytesData => textColumnOf(values)

/** One text, and its code for each row. */
const repeated = (text: string, rows: number): DictionaryData => ({
  kind: 'dictionary',
  codes: new Uint32Array(rows),
  dictionary: texts([text])
})

/** Copies two columns of a table, a batch at a time; other requests have their turn in between. */
export async function copy(store: Store, ctx: RequestContext, from: string, to: string): Promise<number> {
  const table = store.table(ctx.db, from)
  if (table === undefined) return 0
  const names = table.columns.slice(0, 2).map(({ name }) => name)
  const { columns, batches } = await store.query(ctx, { kind: 'scan', table, columns: names })
  let copied = 0
  for await (const batch of batches()) {
    if (batch.rows === 0) continue
    const made = await runPaced(new Pace(ctx), columnsOf(columns, batch))
    const { rows } = await store.write(ctx, [{ table: to, rows: batch.rows, columns: made }])
    copied += rows
  }
  return copied
}
