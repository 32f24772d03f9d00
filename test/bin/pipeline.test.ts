// The command that checks pipeline documents, as a process.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const bin = fileURLToPath(new URL('../../bin/weir.js', import.meta.url))

function weir(...args: readonly string[]) {
  return spawnSync(process.execPath, [bin, 'pipeline', ...args], { encoding: 'utf8' })
}

t.test('a document is compiled, and its unknown keys are warnings or errors', async t => {
  const folder = t.testdir({
    'good.yaml': 'processors:\n  - date: { field: at }\n',
    'odd.yaml': 'processors:\n  - date:\n      field: at\n      timezon: UTC\n',
    'bad.yaml': 'processors:\n  - vrl: { source: ".a = upcase(.a)" }\n  - date: { field: at }\n'
  })
  const [good, odd, bad] = ['good.yaml', 'odd.yaml', 'bad.yaml'].map(name => join(folder, name))
  t.match(weir('check', good!), { status: 0, stdout: `${good}: ok\n`, stderr: '' })
  const told = 'processors[0].date: unknown key timezon (line 4), did you mean timezone?'
  t.match(weir('check', odd!), { status: 0, stdout: `${odd}: ok\n`, stderr: `${odd}:4: warning: ${told}\n` })
  const strict = weir('check', '--strict', odd!)
  t.match(strict, { status: 1, stdout: '' })
  t.equal(strict.stderr, `${odd}:4: error: ${told}\nweir: ${odd}: 1 unknown key (--strict)\n`)
  t.match(weir('check', bad!), { status: 1, stderr: /bad\.yaml: processors\[0\] \(line 2\), vrl: .*\n.*error\[E103\]/ })
  t.match(weir('check'), { status: 2, stderr: /FILE is missing/ })
})
