// Measures each statement and tells the server of it: planning, and what the engine took for its rows, not what a client took to read them.
import type { Answer, RecordsAnswer } from '../../core/index.ts'
import type { Session } from './session.ts'
import type { Parsed } from './statement/parse.ts'

/** Runs a statement; when it is done, or its rows have been read, or it failed, the server knows how long it took. */
export async function watched({ slowQueries, ctx, sql }: Session, { tokens }: Parsed, run: () => Promise<Answer>) {
  const query = sql.slice(tokens[0]!.start, tokens.at(-1)!.end)
  const done = (cost: number) => slowQueries.observe(ctx, { query, cost })
  const began = performance.now()
  try {
    const answer = await run()
    const cost = performance.now() - began
    if (answer.kind === 'records') return measured(answer, cost, done)
    done(cost)
    return answer
  } catch (error) {
    done(performance.now() - began)
    throw error
  }
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
      const batches = answer.batches()[Symbol.asyncIterator]()
      try {
        for (;;) {
          const asked = performance.now()
          const next = await batches.next().finally(() => {
            cost += performance.now() - asked
          })
          if (next.done) return
          yield next.value
        }
      } finally {
        finish()
        await batches.return?.()
      }
    },
    close() {
      finish()
      answer.close?.()
    }
  }
}
