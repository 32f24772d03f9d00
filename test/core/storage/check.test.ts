// Deliberate damage is reported, stops the start, and a repair keeps everything else.
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import t, { type Test } from 'tap'
import { eachConcurrent } from '../../../core/concurrent.ts'
import type { BytesData } from '../../../core/model/batch.ts'
import type { ColumnType } from '../../../core/model/types.ts'
import { catalogDamage, openCatalogFile } from '../../../core/storage/embedded/catalog/catalog-file.ts'
import { journalDamage } from '../../../core/storage/embedded/catalog/catalog-journal.ts'
import { flippedByte } from '../../../core/storage/embedded/file/checksum.ts'
import {
  decodeRecord,
  encodeRecord,
  type RecordPart,
  type SeriesEntry,
  type SeriesRun
} from '../../../core/storage/embedded/log/record.ts'
import { readRecord, recordHeaderBytes } from '../../../core/storage/embedded/log/segment.ts'
import { type Examination, examine, type Finding } from '../../../core/storage/embedded/repair/check.ts'
import { scanLog } from '../../../core/storage/embedded/repair/log-scan.ts'
import { planRepair } from '../../../core/storage/embedded/repair/repair.ts'
import {
  createTable,
  makeEngine,
  never,
  onlyWhenTold,
  openEngine,
  put,
  scan,
  select,
  temporaryFolder
} from './fixtures.ts'

const batches = 40
/** Folders that are damaged, started and repaired at the same time: most of that is waiting for the disk and for processes. */
const sideBySide = 3
const small = { segment_size: 2048 }

/**
 * A folder as a power cut leaves it: table `flushed` in two files, table `logged` in 40 records of four rows that only the log has, every
 * tenth with a new series; the log has several segments.
 */
const origin = temporaryFolder(t)
const crashed = join(origin, 'crashed')
await makeCrashed()

async function makeCrashed(): Promise<void> {
  const engine = makeEngine(join(origin, 'live'), small)
  await engine.open()
  const flushed = await createTable(engine, 'flushed')
  for (const from of [0, 100]) {
    await put(engine, flushed, rowsFrom(from, 100))
    await engine.maintain({ kind: 'flush' }, new AbortController().signal)
  }
  const logged = await createTable(engine, 'logged')
  for (let batch = 0; batch < batches; batch++) {
    await put(engine, logged, rowsFrom(batch * 4, 4, `host ${Math.floor(batch / 10)}`))
  }
  cpSync(join(origin, 'live'), crashed, { recursive: true })
  await engine.close()
}

function rowsFrom(from: number, count: number, host = 'a') {
  return Array.from({ length: count }, (_, i) => ({ host, at: from + i, n: from + i, note: `row ${from + i}` }))
}

/** A copy of the crashed folder. */
function copy(t: Test): string {
  const dir = temporaryFolder(t)
  cpSync(crashed, dir, { recursive: true })
  return dir
}

function removeSpare(dir: string): void {
  for (const name of ['catalog.db.copy', 'catalog.db.changes']) rmSync(join(dir, name), { force: true })
}

const folderOf = (dir: string) => ({ home: dir, wal: join(dir, 'wal') })

async function findings(dir: string): Promise<Finding[]> {
  const examination = await examine(folderOf(dir))
  examination.close()
  return examination.findings.map(finding => ({ ...finding, file: finding.file.slice(dir.length + 1) }))
}

/** Repairs until nothing is left to do, and returns what it said. */
async function repair(dir: string): Promise<string> {
  const examination: Examination = await examine(folderOf(dir))
  try {
    const plan = await planRepair(folderOf(dir), examination)
    for (const step of plan.steps) await step.run()
    await plan.close()
    return plan.steps.flatMap(step => step.lines).join('\n')
  } finally {
    examination.close()
  }
}

async function refusal(dir: string): Promise<string> {
  const engine = makeEngine(dir, small)
  try {
    await engine.open()
  } catch (error) {
    return (error as Error).message
  } finally {
    await engine.close()
  }
  return 'it started'
}

/** Rows of both tables after a start. */
async function counts(t: Test, dir: string): Promise<Record<string, number>> {
  const engine = await openEngine(t, dir, small)
  const found: Record<string, number> = {}
  for (const name of ['flushed', 'logged']) {
    const table = engine.catalog.table('public', name)
    if (table === undefined) continue
    const rows = (await scan(engine, table, ['host', 'n', 'note'])) as [string | null, number, string][]
    t.equal(new Set(rows.map(([, n]) => n)).size, rows.length, `${name}: every row once`)
    const wrong = rows.filter(([host, n, note]) => note !== `row ${n}` || host === null)
    t.strictSame(wrong, [], `${name}: every row as it was written`)
    found[name] = rows.length
  }
  await engine.close()
  return found
}

function flip(path: string, offset: number, bit = offset % 8): void {
  const bytes = readFileSync(path)
  bytes[offset]! ^= 1 << bit
  writeFileSync(path, bytes)
}

const segments = readdirSync(join(crashed, 'wal'))
  .filter(name => name.endsWith('.wal'))
  .sort()
const dataFiles = (readdirSync(join(crashed, 'data'), { recursive: true }) as string[])
  .filter(name => name.endsWith('.parquet'))
  .map(name => join('data', name))
  .sort()

t.test('a folder after a crash is sound', async t => {
  const dir = copy(t)
  t.ok(segments.length > 4, `${segments.length} segments`)
  t.equal(dataFiles.length, 2)
  t.strictSame(await findings(dir), [])
  t.strictSame(await counts(t, dir), { flushed: 200, logged: 160 })
})

t.test('a bit turned anywhere in the log is named with its record', async t => {
  const dir = copy(t)
  const bounds = { first: 1, last: segments.length }
  for (const name of segments) {
    const path = join(dir, 'wal', name)
    const whole = readFileSync(path)
    for (let offset = 0; offset < whole.length; offset += 61) {
      flip(path, offset)
      const scan = (await scanLog(join(dir, 'wal'), bounds)).segments.find(segment => segment.path === path)!
      const named = scan.damages.some(damage => damage.at <= offset && offset < damage.end)
      if (!named) t.fail(`${name} at ${offset}: ${JSON.stringify(scan.damages)}`)
      writeFileSync(path, whole)
    }
  }
  t.strictSame(await findings(dir), [])
})

t.test('a damaged record stops the start, and a repair keeps the records around it', async t => {
  const dir = copy(t)
  const { path, at } = await findRecord(dir, 25)
  flip(path, at + 24 + 150)
  t.match(await refusal(dir), `${path} at byte ${at}: a record does not match its checksum`)
  const said = await repair(dir)
  t.match(said, `bytes ${at} to `)
  t.match(said, 'are dropped (a record does not match its checksum), at most 4 rows')
  t.strictSame(await findings(dir), [])
  t.strictSame(await counts(t, dir), { flushed: 200, logged: 156 })
  t.ok(existsSync(join(dir, 'lost+found')), 'the damaged segment is kept')
})

t.test('records that need a lost series are dropped with it', async t => {
  const dir = copy(t)
  const { path, at } = await findRecord(dir, 20)
  flip(path, at + 24 + 150)
  t.match(await repair(dir), /whole records with \d+ rows are dropped, too: they use series only lost records describe/)
  t.strictSame(await findings(dir), [])
  const { logged } = await counts(t, dir)
  t.equal(logged, 80, 'the two series before it')
})

/** The record of a batch of `logged`. */
async function findRecord(dir: string, batch: number) {
  const examination = await examine(folderOf(dir))
  examination.close()
  const all = examination.log.segments.flatMap(({ path, records }) =>
    records.map(({ at }, i) => ({ path, at, number: i + 1 }))
  )
  return all.at(batch - batches)!
}

t.test('a damaged record header stops the start; its length counts only where it leads to a record', async t => {
  await eachConcurrent([0, 4, 9, 16, 20], sideBySide, async offset => {
    const dir = copy(t)
    const { path, at } = await findRecord(dir, 25)
    flip(path, at + offset, 3)
    t.match(await refusal(dir), `${path} at byte ${at}: a record header does not match its checksum`)
    await repair(dir)
    t.strictSame(await counts(t, dir), { flushed: 200, logged: 156 }, `byte ${offset}`)
  })
  const dir = copy(t)
  const { path, at } = await findRecord(dir, 25)
  const bytes = readFileSync(path)
  bytes.fill(0xff, at, at + 24)
  writeFileSync(path, bytes)
  await repair(dir)
  const { logged } = await counts(t, dir)
  t.ok(logged! < 156 && logged! >= 80, `the rest of the segment went with it, others did not: ${logged}`)
})

t.test('a damaged segment header costs nothing', async t => {
  const dir = copy(t)
  const path = join(dir, 'wal', segments[1]!)
  flip(path, 10)
  t.match(await refusal(dir), `${path} at byte 0: the segment header does not match its checksum`)
  t.match(await repair(dir), 'nothing is lost by it')
  t.strictSame(await counts(t, dir), { flushed: 200, logged: 160 })
})

t.test('a missing segment stops the start wherever it is missing', async t => {
  for (const name of [segments[0]!, segments.at(2)!, segments.at(-1)!]) {
    const dir = copy(t)
    rmSync(join(dir, 'wal', name))
    t.match(await refusal(dir), /segment .*\d+\.wal is missing/, name)
    t.match(await findings(dir), [{ kind: 'damage', file: `wal/${name}`, message: 'the log segment is missing' }])
    t.match(await repair(dir), 'an empty one takes its place')
    t.strictSame(await findings(dir), [])
    const { flushed } = await counts(t, dir)
    t.equal(flushed, 200)
  }
})

t.test(
  'a record that is whole but holds what no table holds stops the start, named by number, and goes in a repair',
  async t => {
    for (const [what, bend, reason] of bends) {
      const dir = copy(t)
      const { path, at, number } = await findRecord(dir, batches - 2)
      rewriteRecord(path, at, bend)
      const said = `record ${number} of the segment cannot be read: `
      const refused = await refusal(dir)
      t.match(refused, `${path} at byte ${at}: ${said}`, what)
      t.match(refused, reason, what)
      const [finding, ...others] = await findings(dir)
      t.match(finding, { kind: 'damage', offset: at }, what)
      t.match(finding!.message, said, what)
      t.match(finding!.message, reason, what)
      t.strictSame(others, [], what)
      t.match(await repair(dir), said)
      t.strictSame(await findings(dir), [])
      t.strictSame(await counts(t, dir), { flushed: 200, logged: 156 }, what)
    }
  }
)

type Bend = (part: RecordPart) => RecordPart

/** What becomes of a record, as long as before and with all sums right, and what is said of it. */
const bends: readonly (readonly [what: string, bend: Bend, reason: RegExp])[] = [
  ['more rows than values', part => ({ ...part, rows: 5 }), /4 series numbers for 5 rows/],
  ['texts that are none', eachText(data => ({ ...data, bytes: data.bytes.map(() => 0xff) })), /not UTF-8/],
  [
    'texts that overlap',
    eachText(data => ({ ...data, offsets: data.offsets.map((offset, i) => (i === 1 ? 20 : offset)) })),
    /offsets ascend/
  ]
]

function eachText(bend: (data: BytesData) => BytesData): Bend {
  return part => ({
    ...part,
    columns: part.columns.map(({ id, data }) => ({ id, data: data.kind === 'bytes' ? bend(data) : data }))
  })
}

function runOf(series: readonly SeriesEntry[]): SeriesRun {
  const lengths = Uint32Array.from(series, ({ key }) => key.length)
  return { first: series[0]?.tsid ?? 0, lengths, keys: Buffer.concat(series.map(({ key }) => key)) }
}

function rewriteRecord(path: string, at: number, bend: Bend): void {
  const bytes = readFileSync(path)
  const record = readRecord(bytes, at)
  if (record.kind !== 'whole') throw new Error(record.reason)
  const types: (ColumnType | undefined)[] = [undefined, 'String', 'TimestampMillisecond', 'Int64', 'String']
  const parts = decodeRecord(record.payload, (_, column) => types[column]).map(bend)
  const payload = Buffer.concat(encodeRecord(parts.map(part => ({ ...part, series: runOf(part.series) }))))
  const header = Buffer.from(bytes.subarray(at, at + recordHeaderBytes))
  header.writeUInt32LE(payload.length, 0)
  header.writeUInt32LE(crc32(payload), 16)
  header.writeUInt32LE(crc32(header.subarray(0, 20)), 20)
  const end = at + recordHeaderBytes + record.payload.length
  writeFileSync(path, Buffer.concat([bytes.subarray(0, at), header, payload, bytes.subarray(end)]))
}

t.test('a segment cut short stops the start, the torn end of the last one does not', async t => {
  const dir = copy(t)
  const { path } = await findRecord(dir, 25)
  truncateSync(path, readFileSync(path).length - 10)
  t.match(await refusal(dir), `${path} at byte`)
  t.match(await repair(dir), 'at most 4 rows with them')
  t.strictSame(await findings(dir), [])
  const { logged } = await counts(t, dir)
  t.ok(logged! < 160 && logged! >= 80)

  const torn = copy(t)
  const last = join(torn, 'wal', segments.at(-1)!)
  truncateSync(last, readFileSync(last).length - 10)
  t.match(await findings(torn), [{ kind: 'leftover', file: `wal/${segments.at(-1)}`, message: /torn end/ }])
  t.strictSame(await counts(t, torn), { flushed: 200, logged: 156 })
})

t.test(
  'a log that ends before what was on the disk is not a torn end, whether it was cut or is an older copy',
  async t => {
    const dir = temporaryFolder(t)
    const engine = makeEngine(dir, small)
    await engine.open()
    const kept = await createTable(engine, 'logged')
    const other = await createTable(engine, 'flushed')
    const write = (from: number) => put(engine, kept, rowsFrom(from, 4))
    await write(0)
    const last = () =>
      join(
        dir,
        'wal',
        readdirSync(join(dir, 'wal'))
          .filter(name => name.endsWith('.wal'))
          .sort()
          .at(-1)!
      )
    const older = readFileSync(last())
    await write(4)
    await put(engine, other, rowsFrom(0, 10))
    const known = readFileSync(last()).length
    // The flush of another table is when the catalog hears how far the log is.
    await engine.maintain({ kind: 'flush', table: other }, never)
    await write(8)
    const crashed = join(temporaryFolder(t), 'crashed')
    cpSync(dir, crashed, { recursive: true })
    // At its end the engine begins another segment.
    const segment = last().slice(dir.length)
    const path = join(crashed, segment)
    await engine.close()
    const whole = readFileSync(path)
    const cases: readonly (readonly [string, Uint8Array])[] = [
      ['an older copy', older],
      ['cut within a record', whole.subarray(0, known - 10)],
      ['nothing but its header', whole.subarray(0, 36)],
      [
        'zeros from there on',
        Buffer.concat([whole.subarray(0, older.length), Buffer.alloc(whole.length - older.length)])
      ]
    ]
    for (const [name, bytes] of cases) {
      const harmed = join(temporaryFolder(t), 'harmed')
      cpSync(crashed, harmed, { recursive: true })
      const wrong = join(harmed, segment)
      writeFileSync(wrong, bytes)
      const message = new RegExp(`the segment ends at byte \\d+, at least ${known} bytes were on the disk`)
      t.match(await findings(harmed), [{ kind: 'damage', message }], name)
      t.match(await refusal(harmed), message, name)
      t.same(readFileSync(wrong), Buffer.from(bytes), `${name}: nothing of it is changed`)
      writeFileSync(wrong, whole)
      t.strictSame(await counts(t, harmed), { flushed: 10, logged: 12 }, `${name}: put back, every row is there`)
      writeFileSync(wrong, bytes)
    }
    const repaired = join(temporaryFolder(t), 'repaired')
    cpSync(crashed, repaired, { recursive: true })
    writeFileSync(join(repaired, segment), older)
    t.match(await repair(repaired), 'are dropped')
    t.strictSame(await findings(repaired), [], 'sound after a repair')
    t.strictSame(await counts(t, repaired), { flushed: 10, logged: 4 })
    // What came after the last that is known may be missing: that is how a crash looks.
    writeFileSync(path, whole.subarray(0, whole.length - 10))
    t.match(await findings(crashed), [{ kind: 'leftover' }])
    t.strictSame(await counts(t, crashed), { flushed: 10, logged: 8 })
  }
)

t.test('a log with rows of a table the catalog never had is refused by check, start and repair', async t => {
  const dir = copy(t)
  const sqlite = new DatabaseSync(join(dir, 'catalog.db'))
  const id = sqlite.prepare("SELECT id FROM tables WHERE name = 'logged'").get()?.id as number
  for (const table of ['columns', 'series']) sqlite.exec(`DELETE FROM ${table} WHERE table_id = ${id}`)
  sqlite.exec(`DELETE FROM tables WHERE id = ${id}; UPDATE sqlite_sequence SET seq = ${id - 1} WHERE name = 'tables'`)
  sqlite.close()
  const strange = `the log has rows of table number ${id}, which the catalog never had: it is older than the log`
  t.match(await refusal(dir), strange)
  t.match((await findings(dir))[0], { kind: 'damage', message: new RegExp(strange) })
  const spared = join(temporaryFolder(t), 'spared')
  cpSync(dir, spared, { recursive: true })
  t.match(await repair(spared), 'made anew from its spare')
  t.strictSame(await counts(t, spared), { flushed: 200, logged: 160 })
  removeSpare(dir)
  await t.rejects(repair(dir), { message: /bring the newer catalog.db back, or restore a backup: no repair/ })
})

t.test('a bit turned anywhere in a data file is named with its byte', async t => {
  const dir = copy(t)
  const [name] = dataFiles
  const path = join(dir, name!)
  const whole = readFileSync(path)
  for (let offset = 0; offset < whole.length; offset += Math.ceil(whole.length / 10)) {
    flip(path, offset)
    t.match(await findings(dir), [{ kind: 'damage', file: name, offset }], `byte ${offset}`)
    writeFileSync(path, whole)
  }
  for (let offset = 0; offset < whole.length; offset++) {
    const wrong = Buffer.from(whole)
    wrong[offset]! ^= 1 << (offset % 8)
    if (flippedByte(crc32(whole) ^ crc32(wrong), whole.length) !== offset) t.fail(`byte ${offset}`)
  }
})

t.test('a damaged data file is moved away; rows the log still has come back', async t => {
  const dir = copy(t)
  flip(join(dir, dataFiles[0]!), 100)
  const said = await repair(dir)
  t.match(said, /table public\.flushed goes on without it: (100 rows are lost|its rows are still in the log)/)
  t.strictSame(await findings(dir), [])
  const { flushed, logged } = await counts(t, dir)
  t.strictSame([flushed, logged], [said.includes('still in the log') ? 200 : 100, 160])
})

t.test('a missing or shortened data file stops the start', async t => {
  for (const harm of [rmSync, (path: string) => truncateSync(path, 50)]) {
    const dir = copy(t)
    const path = join(dir, dataFiles[1]!)
    harm(path)
    t.match(await refusal(dir), `data file ${path}`)
    t.match(await findings(dir), [{ kind: 'damage', file: dataFiles[1] }])
    await repair(dir)
    t.strictSame(await findings(dir), [])
    t.ok((await counts(t, dir)).flushed! >= 100)
  }
})

t.test('a file the catalog does not know goes to lost+found, unless the catalog is damaged or gone', async t => {
  const dir = copy(t)
  const extra = join(dir, dataFiles[0]!.replace(/[^/]*$/, '77.parquet'))
  writeFileSync(extra, 'x')
  t.match(await findings(dir), [{ kind: 'leftover', message: 'the catalog does not know the file' }])
  t.strictSame(await counts(t, dir), { flushed: 200, logged: 160 })
  t.notOk(existsSync(extra))
  const [time] = readdirSync(join(dir, 'lost+found'))
  t.equal(readFileSync(join(dir, 'lost+found', time!, extra.slice(dir.length)), 'utf8'), 'x')
  t.strictSame(await counts(t, dir), { flushed: 200, logged: 160 })
  t.ok(existsSync(join(dir, 'lost+found', time!)), 'it stays for storage.lost_found_ttl')
  renameSync(join(dir, 'lost+found', time!), join(dir, 'lost+found', '20200101000000'))
  await counts(t, dir)
  t.strictSame(readdirSync(join(dir, 'lost+found')), [])

  const renamed = copy(t)
  renameSync(join(renamed, dataFiles[0]!), join(renamed, `${dataFiles[0]}`.replace(/[^/]*$/, '78.parquet')))
  t.match(await refusal(renamed), 'is missing')
  t.ok(
    existsSync(join(renamed, `${dataFiles[0]}`.replace(/[^/]*$/, '78.parquet'))),
    'what may be wanted is not removed'
  )

  const gone = copy(t)
  for (const suffix of ['', '-wal']) rmSync(join(gone, `catalog.db${suffix}`), { force: true })
  t.match(await refusal(gone), /the catalog .*catalog\.db is missing, but there is/)
  t.equal((await findings(gone))[0]!.message, 'the catalog is missing')
  const spared = join(temporaryFolder(t), 'spared')
  cpSync(gone, spared, { recursive: true })
  t.match(await repair(spared), 'made anew from its spare')
  t.strictSame(await counts(t, spared), { flushed: 200, logged: 160 })
  removeSpare(gone)
  await t.rejects(repair(gone), /restore a backup/)
  t.ok(existsSync(join(gone, dataFiles[0]!)))
})

t.test('a bit turned in the catalog is named and stops the start, or changes nothing', async t => {
  const dir = copy(t)
  const path = join(dir, 'catalog.db')
  settle(path)
  const whole = readFileSync(path)
  const rows = contentOf(path)
  const named: number[] = []
  for (let offset = 0; offset < whole.length; offset += 97) {
    flip(path, offset)
    if (catalogIsWrong(path)) named.push(offset)
    else if (contentOf(path) !== rows) t.fail(`byte ${offset}: nothing said, but rows changed`)
    rmSync(`${path}-wal`, { force: true })
    writeFileSync(path, whole)
  }
  t.ok(named.length > 30, `${named.length} were named`)
  const tried = named.filter((_, i) => i % 8 === 0)
  for (const offset of tried) {
    flip(path, offset)
    const reason = await refusal(dir)
    // Series and indexes are read when they are needed; whatever else is wrong stops the start.
    if (reason === 'it started') t.ok((await findings(dir)).length > 0, `byte ${offset}: the check names it`)
    else t.match(reason, path, `byte ${offset}`)
    rmSync(`${path}-wal`, { force: true })
    writeFileSync(path, whole)
  }
})

function catalogIsWrong(path: string): boolean {
  try {
    const sqlite = openCatalogFile(path)
    try {
      return catalogDamage(sqlite).length > 0
    } finally {
      sqlite.close()
    }
  } catch {
    return true
  }
}

/** Brings everything into the main file. */
function settle(path: string): void {
  const sqlite = new DatabaseSync(path)
  sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  sqlite.close()
}

function contentOf(path: string): string {
  const sqlite = new DatabaseSync(path)
  try {
    const tables = ['databases', 'tables', 'columns', 'files', 'series']
    return JSON.stringify(tables.map(table => sqlite.prepare(`SELECT * FROM ${table}`).all()))
  } finally {
    sqlite.close()
  }
}

t.test('a bit turned in the log of the catalog is named, but in its last transaction', async t => {
  const dir = copy(t)
  const path = join(dir, 'catalog.db-wal')
  const whole = readFileSync(path)
  const main = readFileSync(join(dir, 'catalog.db'))
  t.equal(journalDamage(path), undefined)
  let named = 0
  for (let offset = 0; offset < whole.length; offset += 499) {
    flip(path, offset)
    const damage = journalDamage(path)
    if (damage !== undefined) named++
    if (damage !== undefined && damage.offset > offset) t.fail(`byte ${offset}: said ${damage.offset}`)
    if (damage === undefined && offset < whole.length / 2) t.fail(`byte ${offset}: nothing said`)
    writeFileSync(path, whole)
  }
  t.ok(named > 20, `${named} were named`)
  flip(path, 5000)
  const wrong = readFileSync(path)
  t.match(await refusal(dir), /the catalog is damaged: .*catalog\.db-wal at byte \d+: /)
  t.match(await findings(dir), [{ kind: 'damage', file: 'catalog.db', message: /catalog\.db-wal at byte/ }])
  t.same([readFileSync(path), readFileSync(join(dir, 'catalog.db'))], [wrong, main], 'nothing was changed')
})

t.test('a damaged row of the catalog costs the table it belongs to, and no other', async t => {
  const dir = copy(t)
  const path = join(dir, 'catalog.db')
  settle(path)
  const at = readFileSync(path).indexOf('"name":"note"')
  flip(path, at + 8, 0)
  t.match(await refusal(dir), `the catalog is damaged: ${path}`)
  removeSpare(dir)
  const said = await repair(dir)
  t.match(said, /columns table_id=\d id=\d: the row is damaged/)
  t.match(said, /is left out/)
  t.strictSame(await findings(dir), [])
  t.equal(Object.keys(await counts(t, dir)).length, 1, 'one table is left')
})

t.test('a folder in use is left alone', async t => {
  const dir = copy(t)
  const engine = await openEngine(t, dir, small)
  await t.rejects(examine(folderOf(dir)), /another process holds it/)
  await engine.close()
  t.strictSame(await findings(dir), [])
})

t.test('a query over a damaged data file fails and names it, others answer', async t => {
  const size = readFileSync(join(crashed, dataFiles[0]!)).length
  const step = Math.ceil(size / 12)
  const offsets = Array.from({ length: Math.ceil((size - 5) / step) }, (_, i) => 5 + i * step)
  // Each folder meets several damages, one after the other.
  const damages = Array.from({ length: sideBySide }, (_, lane) => offsets.filter((_, i) => i % sideBySide === lane))
  await eachConcurrent(damages, sideBySide, async own => {
    const dir = copy(t)
    const path = join(dir, dataFiles[0]!)
    const whole = readFileSync(path)
    for (const offset of own) {
      flip(path, offset)
      const engine = makeEngine(dir, small)
      await engine.open()
      const [flushed, logged] = ['flushed', 'logged'].map(name => engine.catalog.table('public', name)!)
      const shown = path.replace(dir, '{storage.data_home}')
      const failure = { code: 'TableUnavailable', message: `data file ${shown}: the file does not match its checksum` }
      await t.rejects(select(engine, flushed!, 'SELECT count(*) FROM @'), failure, `byte ${offset}`)
      t.strictSame(await select(engine, logged!, 'SELECT count(*) FROM @'), [[160]])
      await engine.close()
      writeFileSync(path, whole)
    }
    t.strictSame(await counts(t, dir), { flushed: 200, logged: 160 })
  })
})

t.test('files are not merged with a damaged one: the damage would get a right checksum', async t => {
  const dir = temporaryFolder(t)
  // Otherwise a merge beside the test may find the damage first.
  const engine = await openEngine(t, dir, onlyWhenTold)
  const table = await createTable(engine, 'many', { append_mode: true })
  for (let i = 0; i < 6; i++) {
    await put(engine, table, rowsFrom(i * 10, 10))
    await engine.maintain({ kind: 'flush' }, new AbortController().signal)
    if (i === 3) {
      const [name] = readdirSync(join(dir, 'data'), { recursive: true }).filter(file =>
        String(file).endsWith('.parquet')
      )
      flip(join(dir, 'data', String(name)), 30)
    }
  }
  const compact = () => engine.maintain({ kind: 'compact' }, new AbortController().signal)
  await t.rejects(compact(), { code: 'StorageUnavailable', message: /does not match its checksum/ })
  await compact()
  await engine.close()
  t.equal((await findings(dir)).length, 1, 'it is still named')
})
