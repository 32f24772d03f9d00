// VRL's own test scripts, run by `weir vrl` if the material is available.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { material } from './material.ts'

const runner = material('conformance/vrl/vrl-conformance.mjs')
const cases = material('conformance/vrl/cases.ndjson')
const root = fileURLToPath(new URL('../..', import.meta.url))

t.test('every script of the language passes', { skip: runner.skip || cases.skip }, async t => {
  const command = `${process.execPath} bin/weir.js vrl --ndjson`
  const { status, stdout } = spawnSync(process.execPath, [runner.path, '--cmd', command, cases.path], {
    cwd: root,
    encoding: 'utf8'
  })
  t.equal(status, 0, stdout.trimEnd().split('\n').at(-1) ?? '')
  if (status !== 0) t.comment(stdout.slice(-4000))
})
