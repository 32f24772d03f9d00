// Every file below test/golden/pipelines is a test: what a pipeline makes of items.
import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import t from 'tap'
import { processors } from '../../plugins/processors.ts'
import { readPipelineCases, runPipelineCase } from './pipeline-case.ts'

const folder = join(import.meta.dirname, 'pipelines')

for (const file of globSync('**/*.yaml', { cwd: folder }).sort()) {
  t.test(file, async t => {
    for (const golden of readPipelineCases(readFileSync(join(folder, file), 'utf8'))) {
      const actual = runPipelineCase(golden)
      const hint = golden.expected === undefined ? `: nothing expected yet, see ${relative('.', folder)}/README.md` : ''
      t.equal(actual, golden.expected, `${golden.name}${hint}`)
    }
  })
}

t.test('every option of every kind has a case', async t => {
  for (const { kind, doc } of processors) {
    const text = globSync(`${kind}/*.yaml`, { cwd: folder })
      .map(file => readFileSync(join(folder, file), 'utf8'))
      .join('\n')
    const missing = (doc?.options ?? []).filter(({ name }) => !text.includes(`${name}: `))
    t.strictSame(
      missing.map(({ name }) => name),
      [],
      kind
    )
  }
})
