// The default format: one member of `output` per statement, schema first, rows as arrays.
import { writeJsonString } from '../model/json-write.ts'
import { longPiece, type RecordsAnswer, type ResultFormat } from './answer.ts'
import { jsonCells } from './json-value.ts'

export const svcV1: ResultFormat = {
  header: 'svc_v1',
  contentType: 'application/json',
  several: true,
  async *encode(answers, { elapsed }) {
    yield '{"output":['
    let first = true
    for (const answer of answers) {
      if (!first) yield ','
      first = false
      if (answer.kind === 'affected') yield `{"affectedrows":${answer.rows}}`
      else yield* records(answer)
    }
    yield `],"execution_time_ms":${Math.round(elapsed())}}`
  }
}

async function* records(answer: RecordsAnswer): AsyncGenerator<string> {
  const { columns } = answer
  const schemas = columns.map(
    ({ name, type }) => `{"name":${writeJsonString(name)},"data_type":${writeJsonString(type)}}`
  )
  yield `{"records":{"schema":{"column_schemas":[${schemas.join()}]},"rows":[`
  let total = 0
  for await (const batch of answer.batches()) {
    const cells = columns.map(({ type }, c) => jsonCells(type, batch.columns[c]!))
    let text = ''
    for (let row = 0; row < batch.rows; row++) {
      text += total === 0 && row === 0 ? '[' : ',['
      for (let c = 0; c < cells.length; c++) text += c === 0 ? cells[c]!(row) : `,${cells[c]!(row)}`
      text += ']'
      if (text.length > longPiece) {
        yield text
        text = ''
      }
    }
    total += batch.rows
    yield text
  }
  yield `],"total_rows":${total}}}`
}
