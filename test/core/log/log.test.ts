import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, existsSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createLogFiles } from '../../../core/log/file.ts'
import { parseLevels, printLevels } from '../../../core/log/levels.ts'
import { createLogger } from '../../../core/log/log.ts'
import { createSink } from '../../../core/log/sink.ts'

const settings = { level: 'info', max_log_files: 3, max_log_file_size: 0, append_stdout: false } as const
const contents = (dir: string) =>
  readdirSync(dir)
    .sort()
    .map(name => readFileSync(join(dir, name), 'utf8'))
    .join('')

t.test('lines for machines are JSON with time, level and message', async t => {
  const dir = join(t.testdir({}), 'made', 'logs')
  const log = createLogger({ ...settings, dir, log_format: 'json' })
  log.child({ plugin: 'sql' }).info({ rows: 2 }, 'done')
  await log.close()
  const line = JSON.parse(contents(dir))
  t.match(line, { level: 'info', plugin: 'sql', rows: 2, msg: 'done', time: /^\d{4}-.*Z$/ })
  t.match(readdirSync(dir)[0], /^weir-\d{4}-\d\d-\d\d-\d\d\.log$/)
})

t.test('lines for people stay one line, whatever a client sends; a stack follows indented', async t => {
  const dir = t.testdir({})
  const log = createLogger({ ...settings, dir, log_format: 'text' })
  log.warn({ path: '/a b', text: 'x\n2026 FAKE' }, 'odd\nrequest')
  log.error({ err: new Error('boom') }, 'failed')
  await log.close()
  const lines = contents(dir).split('\n')
  t.match(lines[0], /^\S+Z WARN {2}odd request path="\/a b" text="x\\n2026 FAKE"$/)
  t.match(lines[1], /ERROR failed$/)
  t.match(lines[2], /^ {4}Error: boom$/)
  t.match(lines[3], /^ {8}at /)
})

t.test('the level changes at run time, for children made before as well', async t => {
  const dir = t.testdir({})
  const log = createLogger({ ...settings, dir, log_format: 'json' })
  const grandchild = log.child({ server: 'main' }).child({ request: 1 })
  grandchild.debug('one')
  log.setLevels(parseLevels('debug', 'info'))
  grandchild.debug('two')
  log.setLevels(parseLevels('error', 'info'))
  grandchild.warn('three')
  await log.close()
  grandchild.fatal('after the end')
  t.strictSame(
    contents(dir)
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).msg),
    ['two']
  )
})

t.test('a plugin can have a level of its own, whenever its logger was made', async t => {
  const dir = t.testdir({})
  const log = createLogger({ ...settings, dir, log_format: 'json', level: 'warn,sql=debug' })
  const before = log.child({ plugin: 'ingest' }).child({ request: 1 })
  log.child({ plugin: 'sql' }).debug('one')
  before.info('never')
  log.setLevels(parseLevels('error,ingest=info', 'info'))
  before.info('two')
  log.child({ plugin: 'ingest' }).info('three')
  log.child({ plugin: 'sql' }).warn('never')
  log.warn('never')
  log.setLevels(parseLevels('warn', 'info'))
  before.info('never')
  log.warn('four')
  log.setLevels(parseLevels('error,core=info', 'info'))
  log.info('five')
  log.child({ server: 'main' }).info('six')
  before.warn('never')
  await log.close()
  const messages = contents(dir)
    .trim()
    .split('\n')
    .map(line => JSON.parse(line).msg)
  t.strictSame(messages, ['one', 'two', 'three', 'four', 'five', 'six'])
})

t.test('levels are read and written as operators say them', async t => {
  const text = (from: string) => printLevels(parseLevels(from, 'info'))
  t.equal(text(' WARN '), 'warn')
  t.equal(text('warn, sql=Debug ,admin=warn'), 'warn,sql=debug')
  t.equal(text('sql=debug'), 'info,sql=debug', 'what is not named stays')
  for (const wrong of ['loud', 'info,warn', 'sql=', '=info', '', 'info,'])
    t.throws(() => parseLevels(wrong, 'info'), wrong)
})

t.test('every hour has its file and only the newest are kept', async t => {
  const dir = t.testdir({})
  writeFileSync(join(dir, 'weir-2020-01-01-00.log'), 'old')
  writeFileSync(join(dir, 'notes.log'), 'not ours')
  let now = new Date('2026-03-01T22:59:59Z')
  const files = createLogFiles({ dir, keep: 2, maxBytes: 0, onLost: () => {}, now: () => now })
  const written = async (hour: string) => {
    const file = join(dir, `weir-${now.toISOString().slice(0, 10)}-${hour}.log`)
    while (!existsSync(file) || readFileSync(file, 'utf8') !== `${hour}\n`) await sleep(5)
  }
  for (const hour of ['22', '23']) {
    now = new Date(`2026-03-01T${hour}:10:00Z`)
    files.write(`${hour}\n`)
    await written(hour)
  }
  t.strictSame(readdirSync(dir).sort(), ['notes.log', 'weir-2026-03-01-22.log', 'weir-2026-03-01-23.log'])
  now = new Date('2026-03-02T00:00:00Z')
  files.write('00\n')
  await written('00')
  await files.close()
  t.strictSame(readdirSync(dir).sort(), ['notes.log', 'weir-2026-03-01-23.log', 'weir-2026-03-02-00.log'])
  t.equal(readFileSync(join(dir, 'weir-2026-03-01-23.log'), 'utf8'), '23\n')
})

t.test('a disk that is full costs lines, which are counted, and nothing else', async t => {
  const fd = openSync('/dev/full', 'w')
  t.teardown(() => closeSync(fd))
  let lost = 0
  const sink = createSink(fd, lines => {
    lost += lines
  })
  sink.write('one\n')
  sink.write('two\n')
  t.equal(await sink.close(), true)
  t.equal(lost, 2)
  sink.write('three\n')
  sink.flushSync()
  t.equal(lost, 3)
})

t.test('a process whose output is full ends when it should', { skip: !existsSync('/dev/full') }, async t => {
  const module = new URL('../../../core/log/log.ts', import.meta.url)
  const settings = {
    level: 'info',
    max_log_files: 0,
    max_log_file_size: 0,
    append_stdout: true,
    dir: '',
    log_format: 'text'
  }
  const script = `
    import { createLogger } from ${JSON.stringify(module)}
    const log = createLogger(${JSON.stringify(settings)}, (output, lines) => process.stderr.write(output + lines))
    log.info('lost')
    setTimeout(() => { log.fatal('lost, too'); process.exit(3) }, 20)`
  const stdout = openSync('/dev/full', 'w')
  t.teardown(() => closeSync(stdout))
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', stdout, 'pipe'] })
  let said = ''
  child.stderr!.on('data', bytes => {
    said += bytes
  })
  const [code] = await once(child, 'close')
  t.equal(code, 3)
  t.equal(said, 'stdout1stdout1')
})

t.test(
  'a reader that is slow gets every line, one that stopped reading costs no more memory than there is room for',
  async t => {
    const dir = t.testdir({})
    const pipe = join(dir, 'pipe')
    execFileSync('mkfifo', [pipe])
    // Reading and writing, so that it opens without a reader, and never blocks.
    const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
    t.teardown(() => closeSync(fd))
    let lost = 0
    const sink = createSink(fd, lines => {
      lost += lines
    })
    const line = `${'x'.repeat(99_999)}\n`
    for (let i = 0; i < 90; i++) sink.write(line)
    t.equal(lost, 7, 'eight MiB are 83 of these lines')
    const reader = spawn('head', ['-c', String(83 * line.length), pipe], { stdio: ['ignore', 'pipe', 'inherit'] })
    let read = 0
    reader.stdout!.on('data', bytes => {
      read += bytes.length
    })
    await once(reader, 'close')
    t.equal(read, 83 * line.length)
    t.equal(await sink.close(), true)
  }
)

t.test('a folder of log files that goes away, and lines that would steer a terminal, harm nobody', async t => {
  const dir = join(t.testdir({}), 'logs')
  const log = createLogger({ ...settings, dir, log_format: 'text' })
  log.info({ path: '/\u001b[2J' }, 'clear \u009b2J')
  await log.close()
  t.match(contents(dir), / clear \\x9b2J path=\/\\x1b\[2J\n$/)
  let now = new Date('2026-03-01T22:00:00Z')
  let lost = 0
  const onLost = (lines: number) => {
    lost += lines
  }
  const files = createLogFiles({ dir, keep: 2, maxBytes: 0, onLost, now: () => now })
  rmSync(dir, { recursive: true })
  now = new Date('2026-03-01T23:00:00Z')
  files.write('lost\n')
  t.equal(lost, 1)
  await files.close()
})

t.test('a file has its size, over restarts too; the next hour has another', async t => {
  const dir = t.testdir({})
  let now = new Date('2026-03-01T22:00:00Z')
  let lost = 0
  const onLost = (lines: number) => {
    lost += lines
  }
  const open = () => createLogFiles({ dir, keep: 2, maxBytes: 10, onLost, now: () => now })
  const first = open()
  first.write('é 345\n')
  await first.close()
  const second = open()
  second.write('8901\n')
  t.equal(lost, 1)
  second.write('90\n')
  now = new Date('2026-03-01T23:00:00Z')
  second.write('next\n')
  await second.close()
  t.equal(lost, 1)
  while (!contents(dir).includes('90\n')) await sleep(5)
  t.strictSame(contents(dir).split(/\n+/), ['é 345', '90', 'next', ''])
})
