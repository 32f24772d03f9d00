import t from 'tap'
import { fuzz, makeQuery } from '../../fuzz/logquery.ts'
import { createRandom } from '../../fuzz/random.ts'
import { startLogs } from './fixtures.ts'

t.test('bent queries are taken or refused with their place, never anything else', async t => {
  const { broken, summary } = fuzz(20_261_122, 3000)
  t.equal(broken, undefined, summary)
})

t.test('the engine plans and runs what is taken', async t => {
  const { sql, logs } = await startLogs(t)
  await sql(`CREATE TABLE lines (at TIMESTAMP(3) TIME INDEX, host STRING, message STRING, n BIGINT, small TINYINT UNSIGNED,
    load DOUBLE, ok BOOLEAN, attributes JSON, day DATE, seen TIMESTAMP(9), price DECIMAL(10, 2), raw VARBINARY)`)
  await sql(`INSERT INTO lines VALUES
    ('2024-07-01 12:00:00', 'a', 'zqx a b', 1, 2, 1.5, true, '{"zqx":1}', '2024-07-01', '2024-07-01 12:00:00', 1.25, NULL),
    ('2024-07-01 12:00:01', '', '9223372036854775807', 9223372036854775807, 255, 1e300, NULL, '[]', NULL, NULL, -1, NULL)`)
  const random = createRandom(Number(process.env.SEED ?? 20_261_123))
  let taken = 0
  for (let run = 0; run < Number(process.env.RUNS ?? 200); run++) {
    const query = makeQuery(random)
    const { status, error } = await logs(query)
    if (status === 200) taken++
    else if (!error.startsWith('$')) t.fail(`${JSON.stringify(query)}: ${error}`)
  }
  t.ok(taken > 10, `${taken} taken`)
})
