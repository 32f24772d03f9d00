// `node test/golden/update-pipelines.ts [file …]`: writes the actual results into files of pipeline cases, for review.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPipelineCases, runPipelineCase, writePipelineAnswers } from './pipeline-case.ts'

const all = join(import.meta.dirname, 'pipelines/**/*.yaml')
const files = process.argv.length > 2 ? process.argv.slice(2) : globSync(all)

for (const file of files) {
  const text = readFileSync(file, 'utf8')
  const cases = readPipelineCases(text)
  const answers = cases.map(runPipelineCase)
  const changed = cases.filter(({ expected }, i) => expected !== answers[i])
  if (changed.length > 0) writeFileSync(file, writePipelineAnswers(text, answers))
  process.stdout.write(`${file}: ${changed.length} of ${cases.length} cases changed\n`)
  for (const { name } of changed) process.stdout.write(`  ${name}\n`)
}
