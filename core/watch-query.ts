// Measures queries for the slow-query log: planning and the engine's time, without the time a client takes to read rows.
import type { RecordsAnswer } from './format/answer.ts'
import type { RequestContext } from './http/context.ts'
import type { SlowQueries } from './slow-query.ts'
import { timed } from './storage/timed.ts'

/** Runs a query and reports its duration to `slowQueries` once it has failed or its rows have been read. `query` is its text. */
export async function watchQuery<T extends object>(
  slowQueries: SlowQueries,
  ctx: RequestContext,
  query: string,
  run: () => Promise<T>
): Promise<T> {
  const done = (cost: number) => slowQueries.observe(ctx, { query, cost })
  const began = performance.now()
  try {
    const answer = await run()
    const cost = performance.now() - began
    if (isRecords(answer)) return measured(answer, cost, done) as T
    done(cost)
    return answer
  } catch (error) {
    done(performance.now() - began)
    throw error
  }
}

function isRecords(answer: object): answer is RecordsAnswer {
  return 'kind' in answer && answer.kind === 'records'
}

function measured(answer: RecordsAnswer, planned: number, done: (cost: number) => void): RecordsAnswer {
  let cost = planned
  let open = true
  const finish = () => {
    if (open) done(cost)
    open = false
  }
  return {
    ...answer,
    async *batches() {
      try {
        yield* timed(answer.batches(), ms => {
          cost += ms
        })
      } finally {
        finish()
      }
    },
    close() {
      finish()
      answer.close?.()
    }
  }
}
