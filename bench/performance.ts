// docs/performance.md and the README's table of states, made of what `live`, `scale` and `logs-questions` printed: nothing is measured here.
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readLive, readLogQuestions, readScale } from './performance-output.ts'
import { insertedTable, insertTable, logTable, performancePage, stateTable } from './performance-page.ts'

const root = join(import.meta.dirname, '..')

export function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      live: { type: 'string' },
      scale: { type: 'string' },
      logs: { type: 'string' },
      date: { type: 'string' }
    }
  })
  if ((values.live === undefined || values.scale === undefined) && values.logs === undefined) {
    throw new Error(
      'npm run bench -- performance [--live FILE --scale FILE] [--logs FILE] [--date YYYY-MM-DD]: files with what `npm run bench -- live`, `scale` and `logs-questions` printed'
    )
  }
  const [processor] = cpus()
  const machine = `${availableParallelism()} cores (${processor?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
  const about = { date: values.date ?? new Date().toISOString().slice(0, 10), machine }
  const page = join(root, 'docs', 'performance.md')
  if (values.live !== undefined && values.scale !== undefined) {
    const live = readLive(readFileSync(values.live, 'utf8'))
    const scale = readScale(readFileSync(values.scale, 'utf8'))
    writeFileSync(page, performancePage(live, scale, about, insertedTable(readFileSync(page, 'utf8'))))
    const readme = join(root, 'README.md')
    writeFileSync(readme, insertTable(readFileSync(readme, 'utf8'), stateTable(live, scale, about)))
    console.log('README.md')
  }
  if (values.logs !== undefined) {
    const logs = readLogQuestions(readFileSync(values.logs, 'utf8'))
    writeFileSync(page, insertTable(readFileSync(page, 'utf8'), logTable(logs, about)))
  }
  console.log('docs/performance.md')
  return Promise.resolve()
}
