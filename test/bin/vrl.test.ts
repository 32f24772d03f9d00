// The command for authors of scripts, as a process.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const bin = fileURLToPath(new URL('../../bin/weir.js', import.meta.url))

function weir(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, 'vrl', ...args], { input, encoding: 'utf8' })
  return { status, stdout, stderr }
}

t.test('a script runs on an event', async t => {
  const folder = t.testdir({ 'a.vrl': '.n = .n + 1 ?? 0\nkeys(.)', 'a.json': '{"n":9007199254740993}' })
  const { status, stdout } = weir(['--program', join(folder, 'a.vrl'), '--object', join(folder, 'a.json')])
  t.equal(status, 0)
  t.equal(stdout, 'result: [\n  "n"\n]\nevent: {\n  "n": 9007199254740994\n}\n')
  writeFileSync(join(folder, 'a.vrl'), '.n = upcase(.n)')
  const refused = weir(['--program', join(folder, 'a.vrl')])
  t.equal(refused.status, 1)
  t.match(refused.stderr, /error\[E103\]: unhandled fallible assignment\n.*1:6/)
})

t.test('a missing option is a wrong command line', async t => {
  t.match(weir([]), { status: 2, stderr: /--program FILE or --ndjson is missing/ })
})

t.test('each line is a request of its own', async t => {
  const requests = [
    { id: 1, program: '.a = 1.0\n.', object: { b: 2 }, timezone: 'UTC' },
    { id: 2, program: 'x' },
    { id: 'three', program: '.a = 1\nabort "no"', object: {} }
  ]
  const { stdout } = weir(['--ndjson'], requests.map(request => JSON.stringify(request)).join('\n'))
  const [first, second, third] = stdout.trim().split('\n')
  t.equal(first, '{"id":1,"ok":true,"result":{"a":1.0,"b":2},"object":{"a":1.0,"b":2}}')
  t.match(JSON.parse(second!), { id: 2, ok: false, stage: 'compile', code: 701, line: 1, column: 1 })
  t.match(JSON.parse(third!), {
    id: 'three',
    ok: false,
    stage: 'runtime',
    code: null,
    message: 'no',
    aborted: true,
    object: { a: 1 }
  })
})
