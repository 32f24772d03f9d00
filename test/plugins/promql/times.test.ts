// Series with equally many samples, but at different times.
import t from 'tap'
import { askSql, startServer } from '../../helpers.ts'

const minute = 60

t.test('the latest sample of each series is found at its own times, in memory and in files', async t => {
  const server = await startServer(t)
  await askSql(server, 'CREATE TABLE m (ts TIMESTAMP(3) TIME INDEX, host STRING PRIMARY KEY, v DOUBLE)')
  const rows = Array.from({ length: 20 }, (_, i) => `(${i * minute * 1000}, 'h${String(i).padStart(2, '0')}', ${i})`)
  await askSql(server, `INSERT INTO m VALUES ${rows.join(', ')}`)
  const expected = rows.map((_, i) => [[i * minute, String(i)]])
  const found = async (query: string) => {
    const parameters = new URLSearchParams({ query, start: '0', end: String(19 * minute), step: String(minute) })
    const answer = await server.main.inject(`/v1/metricsys/api/v1/query_range?${parameters}`)
    if (answer.statusCode !== 200) throw new Error(answer.body)
    const { data } = answer.json() as { data: { result: { metric: { host: string }; values: unknown[] }[] } }
    return data.result.toSorted((a, b) => (a.metric.host < b.metric.host ? -1 : 1)).map(({ values }) => values)
  }
  for (const state of ['in memory', 'read by SQL', 'in a file']) {
    if (state === 'read by SQL') await askSql(server, 'SELECT count(*) FROM m')
    if (state === 'in a file') await askSql(server, "ADMIN flush_table('m')")
    t.same(
      (await found('m')).map(values => values.slice(0, 1)),
      expected,
      state
    )
    t.same(
      (await found('last_over_time(m[1m])')).map(values => values.slice(0, 1)),
      expected,
      `a window, ${state}`
    )
  }
})
