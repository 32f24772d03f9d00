// The result shape of an older time-series query API: series with columns and values, times in one unit.
import type { ResultVector } from '../model/batch.ts'
import { writeJsonString } from '../model/json-write.ts'
import { convertTime } from '../model/time.ts'
import { isTimestamp, type ResultType, timeUnit } from '../model/types.ts'
import { type Epoch, longPiece, type RecordsAnswer, type ResultFormat } from './answer.ts'
import { jsonCells } from './json-value.ts'

export const lineprotoV1: ResultFormat = {
  header: 'lineproto_v1',
  contentType: 'application/json',
  several: true,
  async *encode(answers, { elapsed, epoch }) {
    yield '{"results":['
    for (const [id, answer] of answers.entries()) {
      yield `${id === 0 ? '' : ','}{"statement_id":${id},"series":[`
      if (answer.kind === 'records') yield* series(answer, epoch)
      yield ']}'
    }
    yield `],"execution_time_ms":${Math.round(elapsed())}}`
  }
}

async function* series(answer: RecordsAnswer, epoch: Epoch | undefined): AsyncGenerator<string> {
  const { columns } = answer
  yield `{"name":"","columns":[${columns.map(({ name }) => writeJsonString(name)).join()}],"values":[`
  let first = true
  for await (const batch of answer.batches()) {
    const cells = columns.map(({ type }, c) => jsonCells(type, inUnit(type, batch.columns[c]!, epoch)))
    let text = ''
    for (let row = 0; row < batch.rows; row++) {
      text += `${first ? '' : ','}[${cells.map(cell => cell(row)).join()}]`
      first = false
      if (text.length > longPiece) {
        yield text
        text = ''
      }
    }
    yield text
  }
  yield ']}'
}

function inUnit(type: ResultType, vector: ResultVector, epoch: Epoch | undefined): ResultVector {
  if (epoch === undefined || !isTimestamp(type) || timeUnit(type) === epoch) return vector
  const from = timeUnit(type)
  const values = Array.from(vector.values as Iterable<bigint | null>, value =>
    value === null ? null : convertTime(value, from, epoch)
  )
  return { ...vector, values }
}
