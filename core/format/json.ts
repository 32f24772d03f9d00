// One JSON object per row; of equal column names the last counts.
import { writeJsonString } from '../model/json-write.ts'
import { longPiece, type RecordsAnswer, type ResultFormat } from './answer.ts'
import { jsonCells } from './json-value.ts'

export const json: ResultFormat = {
  header: 'json',
  contentType: 'application/json',
  several: false,
  async *encode([answer], { elapsed }) {
    yield '{"data":['
    if (answer?.kind === 'records') yield* objects(answer)
    yield `]${answer?.kind === 'affected' ? `,"affected_rows":${answer.rows}` : ''},"execution_time_ms":${Math.round(elapsed())}}`
  }
}

async function* objects(answer: RecordsAnswer): AsyncGenerator<string> {
  const { columns } = answer
  const shown = columns.flatMap(({ name }, c) =>
    columns.findLastIndex(column => column.name === name) === c ? [{ c, key: writeJsonString(name) }] : []
  )
  let first = true
  for await (const batch of answer.batches()) {
    const members = shown.map(({ c, key }) => ({ key, cell: jsonCells(columns[c]!.type, batch.columns[c]!) }))
    let text = ''
    for (let row = 0; row < batch.rows; row++) {
      text += `${first ? '' : ','}{${members.map(({ key, cell }) => `${key}:${cell(row)}`).join()}}`
      first = false
      if (text.length > longPiece) {
        yield text
        text = ''
      }
    }
    yield text
  }
}
