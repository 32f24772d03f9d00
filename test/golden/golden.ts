// npm run golden -- [--update] [file …]: runs golden SQL files; with --update writes the answers of failing cases into them for review.
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { writeAnswers } from './case.ts'
import { type GoldenResult, goldenFiles, runFile } from './run.ts'

const { values, positionals } = parseArgs({ options: { update: { type: 'boolean' } }, allowPositionals: true })
const chosen = goldenFiles().filter(
  file =>
    positionals.length === 0 ||
    positionals.some(name => resolve(name) === file || basename(name, '.sql') === basename(file, '.sql'))
)

for (const file of chosen) {
  const results = await runFile(file)
  const failed = results.filter(({ passed }) => !passed)
  process.stdout.write(`${relative('.', file)}: ${results.length - failed.length} of ${results.length} as expected\n`)
  for (const result of failed) process.stdout.write(`${describe(file, result)}\n`)
  if (values.update !== true) process.exitCode ||= failed.length > 0 ? 1 : 0
  else if (failed.length > 0) {
    const answers = new Map(failed.map(({ golden, actual }) => [golden, actual]))
    writeFileSync(file, writeAnswers(readFileSync(file, 'utf8'), answers))
  }
}

function describe(file: string, { golden, actual }: GoldenResult): string {
  const indent = (lines: readonly string[]) => lines.map(line => `    ${line}`).join('\n')
  const expected = golden.expected === undefined ? '' : `\n  expected\n${indent(golden.expected)}`
  return `${relative('.', file)}:${golden.line}\n${indent(golden.sql.split('\n'))}${expected}\n  actual\n${indent(actual)}\n`
}
