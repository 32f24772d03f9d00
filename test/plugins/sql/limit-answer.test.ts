import t from 'tap'
import type { RecordsAnswer, ResultBatch } from '../../../core/index.ts'
import { limitAnswer } from '../../../plugins/sql/limit-answer.ts'

const batch: ResultBatch = { rows: 2, columns: [{ values: Float64Array.of(1, 2) }] }
const answer: RecordsAnswer = {
  kind: 'records',
  columns: [{ name: 'n', type: 'Float64' }],
  async *batches() {
    yield batch
    yield batch
  }
}

async function rowsOf(limit: number): Promise<number[]> {
  const limited = limitAnswer(answer, limit)
  const found: number[] = []
  if (limited.kind === 'records') for await (const { rows } of limited.batches()) found.push(rows)
  return found
}

t.test('a limit cuts rows across batches', async t => {
  t.strictSame(await rowsOf(3), [2, 1])
  t.strictSame(await rowsOf(2), [2])
  t.strictSame(await rowsOf(9), [2, 2])
  t.strictSame(await rowsOf(0), [])
})

t.test('a number of rows that were written is no row', async t => {
  t.strictSame(limitAnswer({ kind: 'affected', rows: 3 }, 1), { kind: 'affected', rows: 3 })
})
