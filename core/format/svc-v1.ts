// The default format: one member of `output` per statement, schema first, rows as arrays.
import { writeJsonString } from '../model/json-write.ts'
import type { RecordsAnswer, ResultFormat } from './answer.ts'
import { jsonCellsInPieces } from './json-value.ts'
import { listed, rowTexts } from './row-text.ts'

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
  const cells = listed(columns, ({ type }, vector) => jsonCellsInPieces(type, vector))
  const total = yield* rowTexts(answer, { open: '[', close: ']', separator: ',', cells })
  yield `],"total_rows":${total}}}`
}
