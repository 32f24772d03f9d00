import t from 'tap'
import { serve } from './serve.ts'

t.test('writes that meet new tables, tags and fields at once agree on them', async t => {
  const { write, sql } = await serve(t)
  const jobs = Array.from({ length: 60 }, (_, i) => {
    const lines = [
      `one,host=h${i % 5},t${i % 7}=x v=${i},f${i % 11}=1 ${i}`,
      `two_${i % 4},host=h${i % 3} v=${i} ${i}`,
      `one,host=h${i % 5} v=${i} ${i}`
    ]
    return write(lines.join('\n'))
  })
  for (const { status, body } of await Promise.all(jobs)) t.equal(status, 204, body)
  t.strictSame(await sql('SELECT count(*), count(DISTINCT v), sum(v) FROM one'), [[120, 60, 3540]])
  const counts = await Promise.all([0, 1, 2, 3].map(i => sql(`SELECT count(*) FROM two_${i}`)))
  t.strictSame(counts.flat(2), [15, 15, 15, 15])
})

t.test('writes go on while their tables are dropped and changed', async t => {
  const { write, sql } = await serve(t)
  let isOver = false
  let sent = 0
  const change = async () => {
    for (let i = 0; i < 12; i++) {
      for (const until = sent + 3; sent < until; ) await new Promise(resolve => setTimeout(resolve, 5))
      await sql('DROP TABLE IF EXISTS gone')
      await sql(`ALTER TABLE kept SET ttl = '${i + 1}d'`).catch(() => {})
    }
    isOver = true
  }
  const send = async (sender: number) => {
    for (let i = 0; !isOver; i++) {
      const time = BigInt(Date.now()) * 1_000_000n + BigInt(i)
      const { status, body } = await write(`gone,s=${sender} v=1 ${time}\nkept,s=${sender},i=${i % 9} v=1 ${time}`)
      if (status === 204) sent++
      // A table that goes in between is no wrong line.
      else t.match(body, /Table not found|the table's schema kept changing during the write; retry/)
    }
  }
  await Promise.all([change(), send(1), send(2), send(3)])
  t.ok(sent >= 36, `${sent} writes`)
  t.strictSame(await sql('SELECT count(*) FROM kept'), [[sent]])
})
