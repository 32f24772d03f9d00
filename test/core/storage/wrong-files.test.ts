// Every file of a folder missing, empty, cut in half, of an earlier time or with a wrong bit: nothing is lost by a start, a check or a repair.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Table } from '../../../core/model/table.ts'
import { examine, type Finding } from '../../../core/storage/embedded/repair/check.ts'
import { planRepair } from '../../../core/storage/embedded/repair/repair.ts'
import type { Engine } from '../../../core/storage/engine.ts'
import { createRandom } from '../../fuzz/random.ts'
import { createTable, makeEngine, never, put, select, temporaryFolder } from './fixtures.ts'

/** `npm run wrong-files` takes all cases; otherwise some of them, and always those that once cost rows. */
const takesAll = process.env.WEIR_CASES === 'all'
const sampled = 6
const seed = Number(process.env.WEIR_SEED ?? Math.floor(Math.random() * 2 ** 31))
t.comment(`seed ${seed}`)
const random = createRandom(seed)

const settings = { segment_size: 8192 }
const origin = temporaryFolder(t)
const [live, earlier, now] = ['live', 'earlier', 'now'].map(name => join(origin, name)) as [string, string, string]
const expected = { flushed: 300, logged: 160, later: 50 }
await makeFolders()

/** `now` is what a power cut leaves, with rows in files and in the log; `earlier` the same folder some time before. */
async function makeFolders(): Promise<void> {
  const engine = makeEngine(live, settings)
  await engine.open()
  const flushed = await createTable(engine, 'flushed')
  for (const from of [0, 100]) {
    await put(engine, flushed, rowsFrom(from, 100))
    await engine.maintain({ kind: 'flush' }, never)
  }
  const logged = await createTable(engine, 'logged')
  await writeBatches(engine, logged, 0, 20)
  cpSync(live, earlier, { recursive: true })
  // Between both, catalog.db takes up what catalog.db-wal held.
  await engine.close()
  const next = makeEngine(live, settings)
  await next.open()
  await put(next, flushed, rowsFrom(200, 100))
  const later = await createTable(next, 'later')
  await put(next, later, rowsFrom(0, 50))
  await next.maintain({ kind: 'flush', table: flushed }, never)
  await writeBatches(next, logged, 20, 38)
  // Now the catalog hears how far the log is.
  await next.maintain({ kind: 'flush', table: later }, never)
  await writeBatches(next, logged, 38, 40)
  cpSync(live, now, { recursive: true })
  await next.close()
}

async function writeBatches(engine: Engine, table: Table, from: number, to: number): Promise<void> {
  for (let batch = from; batch < to; batch++) await put(engine, table, rowsFrom(batch * 4, 4, `host ${batch >> 3}`))
}

function rowsFrom(from: number, count: number, host = 'a') {
  return Array.from({ length: count }, (_, i) => ({ host, at: from + i, n: from + i, note: `row ${from + i}` }))
}

interface Harm {
  readonly name: string
  /** Below the folder. */
  readonly files: readonly string[]
  readonly kind: string
  /** Wrong by this byte where it is a bit. */
  readonly at: number
}

const files = (readdirSync(now, { recursive: true }) as string[])
  .filter(name => /(\.parquet|\.wal|\.mark|catalog\.db(-wal|\.copy|\.changes)?)$/.test(name))
  .sort()
const segments = files.filter(name => name.endsWith('.wal'))
/** Bytes missing after the position that the catalog has recorded look like a write that was never acknowledged. */
const unknownRows = 8
const lastSegment = segments.at(-1)!

function allHarms(): Harm[] {
  const groups = [...files.map(name => [name]), ['catalog.db', 'catalog.db-wal']]
  return groups.flatMap(group => {
    const size = readFileSync(join(now, group[0]!)).length
    const differs = group.some(
      name =>
        existsSync(join(earlier, name)) && !readFileSync(join(earlier, name)).equals(readFileSync(join(now, name)))
    )
    const kinds =
      group.length > 1 ? ['missing', 'earlier'] : ['missing', 'empty', 'halved', 'bit', ...(differs ? ['earlier'] : [])]
    return kinds.map(kind => ({
      name: `${group.join(' and ')} ${kind}`,
      files: group,
      kind,
      at: random.below(size)
    }))
  })
}

function copyOf(t: Test, from: string): string {
  const dir = temporaryFolder(t)
  cpSync(from, dir, { recursive: true })
  return dir
}

function harm(dir: string, { files, kind, at }: Harm): void {
  for (const name of files) {
    const path = join(dir, name)
    if (kind === 'missing') rmSync(path)
    else if (kind === 'empty') truncateSync(path, 0)
    else if (kind === 'halved') truncateSync(path, readFileSync(path).length >> 1)
    else if (kind === 'earlier') cpSync(join(earlier, name), path)
    else {
      const bytes = readFileSync(path)
      bytes[at]! ^= 1 << (at % 8)
      writeFileSync(path, bytes)
    }
  }
}

/** The files as they should be take the place of the wrong ones. */
function mend(dir: string, { files }: Harm): void {
  for (const name of files) cpSync(join(now, name), join(dir, name))
}

const folderOf = (dir: string) => ({ home: dir, wal: join(dir, 'wal') })

async function damages(dir: string): Promise<Finding[]> {
  const examination = await examine(folderOf(dir))
  examination.close()
  return examination.findings.filter(({ kind }) => kind === 'damage')
}

/** Correct rows by table after a start, or the reason why the start failed. */
async function start(dir: string): Promise<Record<string, number> | string> {
  const engine = makeEngine(dir, settings)
  try {
    await engine.open()
    const found: Record<string, number> = {}
    for (const name of Object.keys(expected)) found[name] = await count(engine, name)
    return found
  } catch (error) {
    return (error as Error).message
  } finally {
    await engine.close()
  }
}

async function count(engine: Engine, name: string): Promise<number> {
  const table = engine.catalog.table('public', name)
  if (table === undefined) return 0
  const host = name === 'logged' ? `'host ' || (n // 32)` : `'a'`
  const right = `note = 'row ' || n AND host = ${host} AND epoch_ms("at") = n`
  const [[rows]] = (await select(engine, table, `SELECT count(DISTINCT n) FROM @ WHERE ${right}`)) as [number[]]
  return Number(rows)
}

/** What a repair said; undefined when it refused or there is nothing to do. */
async function repair(dir: string): Promise<string | undefined> {
  const examination = await examine(folderOf(dir))
  try {
    if (!examination.findings.some(({ kind }) => kind === 'damage')) return undefined
    const plan = await planRepair(folderOf(dir), examination)
    for (const step of plan.steps) await step.run()
    await plan.close()
    return plan.steps.flatMap(step => step.lines).join('\n')
  } finally {
    examination.close()
  }
}

async function checkStart(t: Test, each: Harm): Promise<void> {
  const dir = copyOf(t, now)
  harm(dir, each)
  const named = await damages(dir)
  const found = await start(dir)
  if (typeof found === 'string') {
    t.ok(named.length > 0, `the check does not call it sound: ${found}`)
    mend(dir, each)
    t.strictSame(await start(dir), expected, `every row is there again after: ${found}`)
    return
  }
  if (Object.entries(expected).every(([name, rows]) => found[name] === rows)) return
  // It went on without something.
  if (each.files.includes(lastSegment)) {
    t.match(found, { flushed: 300, later: 50 })
    t.ok(found.logged! >= expected.logged - unknownRows, `only what nobody knew of is missing: ${found.logged}`)
    mend(dir, each)
    await start(dir)
    const kept = readdirSync(join(dir, 'lost+found'), { recursive: true, encoding: 'utf8' })
    t.ok(
      kept.some(name => name.endsWith(lastSegment)),
      `a segment that comes back too late is kept: ${kept}`
    )
    return
  }
  t.ok(named.length > 0, `the check names what a start does not read: ${JSON.stringify(found)}`)
}

async function checkRepair(t: Test, each: Harm): Promise<void> {
  const dir = copyOf(t, now)
  harm(dir, each)
  const said = await repair(dir)
  if (said === undefined) return
  t.strictSame(await damages(dir), [], 'sound again')
  const rest = await start(copyOf(t, dir))
  if (typeof rest === 'string') t.fail(rest)
  else if (each.files[0]!.endsWith('.parquet')) {
    const lost = Object.entries(expected).reduce((sum, [name, rows]) => sum + rows - rest[name]!, 0)
    t.ok(lost <= 100, `only rows of that file are missing: ${JSON.stringify(rest)}`)
  } else if (each.files[0]!.endsWith('.wal')) {
    t.match(rest, { flushed: 300, later: 50 }, 'rows in files are all there')
  } else t.strictSame(rest, expected, `catalog and mark can be made anew: ${said}`)
  for (const time of readdirSync(join(dir, 'lost+found'))) {
    cpSync(join(dir, 'lost+found', time), dir, { recursive: true })
  }
  mend(dir, each)
  t.strictSame(await start(dir), expected, `what was replaced gives every row again: ${said}`)
}

const harms = allHarms()
const always = harms.filter(({ name }) =>
  [
    'catalog.db-wal missing',
    'catalog.db empty',
    'catalog.db earlier',
    'catalog.db and catalog.db-wal earlier',
    `${lastSegment} halved`
  ].includes(name)
)
const others = harms.filter(each => !always.includes(each))
const chosen = takesAll ? harms : [...always, ...shuffled(others).slice(0, sampled)]

for (const each of chosen) {
  t.test(each.kind === 'bit' ? `${each.name} at byte ${each.at}` : each.name, async t => {
    await checkStart(t, each)
    await checkRepair(t, each)
  })
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map(item => ({ item, order: random.next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item)
}
