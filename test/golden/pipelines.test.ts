// Every file below test/golden/pipelines is a test: what a pipeline makes of items.
import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import t from 'tap'
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
