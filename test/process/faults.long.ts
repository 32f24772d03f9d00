// Syncs, writes and renames that fail under the real server: which requests are refused, which succeed, and which rows a restart finds.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type ServerProcess, serverFolder, sql, startProcess } from './server.ts'

const writers = 4

/** A server with a table, in which one call of the system fails while `arm` holds. */
async function serve(t: Test, fault: string) {
  const dir = serverFolder(t)
  const armed = join(dir, 'armed')
  const armedFaults = fault.split(',').map(each => `${each}@${armed}`)
  const server = await startProcess(t, dir, { env: { WEIR_FAULT: armedFaults.join() } })
  await sql(server, 'CREATE TABLE m (ts TIMESTAMP(3) TIME INDEX, n BIGINT, PRIMARY KEY (n))')
  return {
    server,
    arm: () => writeFileSync(armed, ''),
    disarm: () => rmSync(armed),
    restart: () => startProcess(t, dir)
  }
}

function ask(server: ServerProcess, text: string): Promise<Response> {
  return fetch(`${server.url}/v1/sql`, { method: 'POST', body: new URLSearchParams({ sql: text }) })
}

let next = 0

/** Numbers that were answered, and the refusals; several clients write at once, each until it is refused or has had its share. */
async function insert(server: ServerProcess, share: number) {
  const answered: number[] = []
  const refused: Response[] = []
  const write = async () => {
    for (let i = 0; i < share; i++) {
      const n = next++
      const answer = await ask(server, `INSERT INTO m VALUES (${n}, ${n})`)
      if (answer.status === 200) answered.push(n)
      else return void refused.push(answer)
      await answer.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
  return { answered, refused }
}

async function stored(server: ServerProcess): Promise<readonly number[]> {
  return (await sql(server, 'SELECT n FROM m ORDER BY n')).map(([n]) => Number(n))
}

async function status(server: ServerProcess, path: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${server.url}/${path}`)
  return { status: answer.status, text: await answer.text() }
}

const missing = (answered: readonly number[], found: readonly number[]) => {
  const there = new Set(found)
  return answered.filter(n => !there.has(n))
}

/** Calls after which only a restart helps, and what makes the server come to them beside writes. */
const final = [
  { fault: 'catalog.sync=EIO', reason: /the catalog could not be synced.*EIO.*restart/, isCatalog: true },
  { fault: 'wal.write=EIO', reason: /the log could not be synced.*EIO.*restart/, isCatalog: false },
  { fault: 'wal.write=ENOSPC,wal.cut=EIO', reason: /could not be cut.*EIO.*restart/, isCatalog: false }
]

for (const { fault, reason, isCatalog } of final)
  t.test(
    `after ${fault} writes are refused until a restart, reads go on, and nothing that was answered is lost`,
    async t => {
      const { server, arm, disarm, restart } = await serve(t, fault)
      const { answered } = await insert(server, 20)
      t.equal(answered.length, 20 * writers)
      t.equal((await status(server, 'ready')).status, 200)
      arm()
      if (isCatalog) {
        const made = await ask(server, 'CREATE TABLE other (ts TIMESTAMP(3) TIME INDEX)')
        t.equal(made.status, 503)
        t.equal(made.headers.get('retry-after'), '30')
        t.match(await made.text(), reason)
      }
      const during = await insert(server, 20)
      t.strictSame(during.answered, [])
      for (const answer of during.refused) {
        t.equal(answer.status, 503)
        t.equal(answer.headers.get('retry-after'), '30')
        t.match(await answer.text(), reason)
      }
      disarm()
      t.strictSame((await insert(server, 1)).answered, [], 'a disk that is well again changes nothing')
      t.strictSame(
        await stored(server),
        answered.toSorted((a, b) => a - b),
        'reads go on and show what was answered'
      )
      const ready = await status(server, 'ready')
      t.equal(ready.status, 503)
      t.match(ready.text, reason)
      t.equal((await status(server, 'health')).status, 200)
      t.equal(await server.kill('SIGTERM'), 0, 'it ends in order')
      const again = await restart()
      t.strictSame(missing(answered, await stored(again)), [])
      t.equal((await status(again, 'ready')).status, 200)
      t.equal((await insert(again, 1)).answered.length, writers)
    }
  )

t.test('a log without room refuses writes and takes them again once there is', async t => {
  const { server, arm, disarm, restart } = await serve(t, 'wal.write=ENOSPC')
  const { answered } = await insert(server, 10)
  arm()
  const { answered: none, refused } = await insert(server, 10)
  t.strictSame(none, [])
  for (const answer of refused) {
    t.equal(answer.status, 503)
    t.equal(answer.headers.get('retry-after'), '5')
  }
  t.equal((await status(server, 'ready')).status, 200, 'it needs no operator')
  disarm()
  const all = [...answered, ...(await insert(server, 10)).answered]
  t.equal(all.length, 20 * writers)
  await server.kill('SIGKILL')
  t.strictSame(
    await stored(await restart()),
    all.toSorted((a, b) => a - b),
    'nothing is there that was refused'
  )
})

for (const fault of ['file.rename=EIO', 'folder.sync=EIO'])
  t.test(`rows whose file fails (${fault}) stay in memory and in the log`, async t => {
    const { server, arm, disarm, restart } = await serve(t, fault)
    const { answered } = await insert(server, 10)
    arm()
    const failed = await ask(server, "ADMIN flush_table('m')")
    t.equal(failed.status, 503)
    t.equal(failed.headers.get('retry-after'), '5')
    t.match(await failed.text(), /EIO/)
    const all = [...answered, ...(await insert(server, 10)).answered].toSorted((a, b) => a - b)
    t.equal(all.length, 20 * writers, 'writes go on')
    t.strictSame(await stored(server), all)
    t.equal((await status(server, 'ready')).status, 200)
    await server.kill('SIGKILL')
    const again = await restart()
    t.strictSame(await stored(again), all)
    disarm()
    await sql(again, "ADMIN flush_table('m')")
    t.strictSame(await stored(again), all)
  })
