// `npm run bench -- NAME`: runs bench/NAME.ts with the arguments that follow.
import { existsSync, readdirSync } from 'node:fs'

const [name = '', ...rest] = process.argv.slice(2)
const file = new URL(`${name}.ts`, import.meta.url)
if (!/^[a-z-]+$/.test(name) || !existsSync(file)) {
  const parts = [
    'run.ts',
    'beside.ts',
    'clickhouse-jobs.ts',
    'corpus.ts',
    'load.ts',
    'load-process.ts',
    'material.ts',
    'median.ts',
    'log-corpus.ts',
    'log-lines.ts',
    'log-questions-corpus.ts',
    'point-corpus.ts',
    'span-corpus.ts',
    'telemetry-corpus.ts',
    'server.ts',
    'storage-measure.ts',
    'storage-remote.ts',
    'storage-rows.ts',
    'metric-corpus.ts',
    'peer.ts',
    'performance-output.ts',
    'performance-page.ts',
    'print.ts',
    'process-tree.ts',
    'timeline.ts'
  ]
  const names = readdirSync(new URL('.', import.meta.url)).filter(
    entry => entry.endsWith('.ts') && !parts.includes(entry)
  )
  console.error(
    `usage: npm run bench -- NAME [options], NAME one of ${names.map(entry => entry.slice(0, -3)).join(', ')}`
  )
  process.exit(2)
}
const { main } = (await import(file.href)) as { main: (args: string[]) => Promise<void> }
await main(rest)
