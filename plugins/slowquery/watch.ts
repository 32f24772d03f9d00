// Measures a query: planning and the engine's time, without the time a client takes to read rows.
import { type RecordsAnswer, timed } from '../../core/index.ts'

/** Runs a query; `done` gets its milliseconds once it has failed or its rows have been read. */
export async function watch<T extends object>(run: () => Promise<T>, done: (cost: number) => void): Promise<T> {
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
