// The query parameter `limit`.
import type { Answer } from '../../core/index.ts'

/** The answer cut off after `limit` rows. */
export function limitAnswer(answer: Answer, limit: number): Answer {
  if (answer.kind === 'affected') return answer
  return {
    ...answer,
    async *batches() {
      let left = limit
      for await (const batch of answer.batches()) {
        if (batch.rows >= left) {
          if (left > 0) yield { ...batch, rows: left }
          return
        }
        left -= batch.rows
        yield batch
      }
    }
  }
}
