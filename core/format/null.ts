// Runs a statement to its end and answers with the number of rows and the duration only.
import type { ResultFormat } from './answer.ts'

export const nullFormat: ResultFormat = {
  header: 'null',
  contentType: 'text/plain; charset=utf-8',
  several: false,
  async *encode([answer], { elapsed }) {
    let line = ''
    if (answer?.kind === 'affected') line = `${answer.rows} rows affected.`
    if (answer?.kind === 'records') {
      let rows = 0
      for await (const batch of answer.batches()) rows += batch.rows
      line = `${rows} rows in set.`
    }
    yield `${line}\nElapsed: ${(elapsed() / 1000).toFixed(3)} sec.\n`
  }
}
