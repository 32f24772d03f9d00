import t from 'tap'
import { writeV1 } from './messages.ts'
import { serve } from './serve.ts'

t.test('after SQL over a metric, expressions of several selectors see every write', async t => {
  const { write, sql, main } = await serve(t)
  const ask = async (query: string, time: number): Promise<[labels: Record<string, string>, value: string][]> => {
    const answer = await main.inject({
      url: `/v1/metricsys/api/v1/query?query=${encodeURIComponent(query)}&time=${time / 1000}`
    })
    const { data } = answer.json()
    return data.result.map((found: { metric: Record<string, string>; value: [number, string] }) => [
      found.metric,
      found.value[1]
    ])
  }
  const wrong: string[] = []
  const compare = async (round: number, query: string, time: number, wanted: string) => {
    const found = (await ask(query, time)).map(([, value]) => value).join()
    if (found !== wanted) wrong.push(`round ${round}: ${query} is ${found || 'empty'} instead of ${wanted}`)
  }
  for (let round = 1; round <= 30; round++) {
    const time = 1_000_000 + round * 1_000
    const names = ['a', 'b', 'c', `new_a_${round}`, `new_b_${round}`]
    const samples = [[time, 100 * round]] as const
    const { status } = await write(writeV1(names.map(name => ({ labels: { __name__: name }, samples }))))
    t.equal(status, 204)
    const fresh = `new_a_${round} - new_b_${round}`
    // What is asked first after the write differs from round to round.
    if (round % 3 === 0) await compare(round, fresh, time, '0')
    await compare(round, 'a - b + c', time, String(100 * round))
    await compare(round, fresh, time, '0')
    if (round % 5 === 0) await Promise.all(['a', 'b', 'a - b + a'].map(query => ask(query, time)))
    if (round % 2 === 1) await sql('SELECT count(*), max(svc_value) FROM a')
    if (round % 7 === 0) await sql("ADMIN flush_table('svc_physical_table')")
  }
  t.same(wrong, [])
})
