// One JSON object per line and row; of equal column names the last one counts.
import type { ResultFormat } from './answer.ts'
import { jsonObjects } from './json.ts'

export const ndjson: ResultFormat = {
  header: 'ndjson',
  contentType: 'application/x-ndjson',
  several: false,
  async *encode([answer]) {
    if (answer?.kind === 'affected') yield `{"affected_rows":${answer.rows}}\n`
    if (answer?.kind !== 'records') return
    if ((yield* jsonObjects(answer, '\n')) > 0) yield '\n'
  }
}
