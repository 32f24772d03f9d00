// The result format of an older time-series query API: series with columns and values, times in one unit.
import type { ResultVector } from '../model/batch.ts'
import { writeJsonString } from '../model/json-write.ts'
import { convertTime } from '../model/time.ts'
import { isTimestamp, type ResultType, timeUnit } from '../model/types.ts'
import type { Epoch, RecordsAnswer, ResultFormat } from './answer.ts'
import { jsonCellsInPieces } from './json-value.ts'
import { listed, rowTexts } from './row-text.ts'

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
  const cells = listed(columns, ({ type }, vector) => jsonCellsInPieces(type, inUnit(type, vector, epoch)))
  yield* rowTexts(answer, { open: '[', close: ']', separator: ',', cells })
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
