// Flows and a server that is killed at any time: after each start their tables equal their queries.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createRandom } from '../fuzz/random.ts'
import { askServer } from '../plugins/sql/fixtures.ts'
import { serverFolder, startProcess } from './server.ts'

const kills = Number(process.env['WEIR_KILLS'] ?? 5)
const seed = Number(process.env['WEIR_SEED'] ?? Date.now() % 100_000)

t.test('tables of flows equal their queries after any kill', async t => {
  t.comment(`seed ${seed}`)
  const random = createRandom(seed)
  const dir = serverFolder(t, '[plugins.flows]\ninterval = "50ms"\n')
  const queries: Readonly<Record<string, string>> = {
    by_minute: `SELECT date_bin(INTERVAL '1 minute', ts) AS minute, kind, sum(v) AS total, count(*) AS n FROM m GROUP BY minute, kind`,
    by_hour: `SELECT date_trunc('hour', ts) AS hour, median(v) AS middle FROM m WHERE v > 10 GROUP BY hour`
  }
  let server = await startProcess(t, dir)
  const ask = async (sql: string) => {
    const { status, text, rows } = await askServer(server.url)(sql)
    if (status !== 200) throw new Error(`${sql.slice(0, 80)}: ${text}`)
    return rows
  }
  await ask('CREATE TABLE m (ts TIMESTAMP(3) TIME INDEX, host STRING, kind STRING, v BIGINT, PRIMARY KEY (host))')
  for (const [name, query] of Object.entries(queries)) await ask(`CREATE FLOW ${name} SINK TO ${name} AS ${query}`)
  for (let kill = 0; kill < kills; kill++) {
    let alive = true
    const killed = sleep(50 + random.below(1_500)).then(async () => {
      alive = false
      await server.kill('SIGKILL')
    })
    while (alive) {
      const rows = Array.from({ length: 1 + random.below(40) }, () => {
        const time = random.below(600) * 20_000
        return `(${time}, 'h${random.below(4)}', 'k${random.below(3)}', ${random.below(100)})`
      })
      const change =
        random.below(5) === 0 ? `DELETE FROM m WHERE v = ${random.below(100)}` : `INSERT INTO m VALUES ${rows}`
      await ask(change).catch((error: unknown) => {
        if (alive) throw error
      })
    }
    await killed
    server = await startProcess(t, dir)
    for (const [name, query] of Object.entries(queries)) {
      await ask(`ADMIN FLUSH_FLOW('${name}')`)
      const [columns] = await ask(
        `SELECT string_agg(column_name, ', ') FROM information_schema.columns WHERE table_name = '${name}'`
      )
      const read = (from: string) => ask(`SELECT ${columns![0]} FROM ${from} ORDER BY ALL`)
      t.strictSame(await read(name), await read(`(${query}) AS q`), `${name} after kill ${kill + 1}`)
    }
  }
  await server.kill('SIGTERM')
})
