// `npm run bench -- NAME`: runs bench/NAME.ts with the arguments that follow.
import { existsSync, readdirSync, readFileSync } from 'node:fs'

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
if (rest.includes('--help')) {
  // What a bench measures stands at its beginning; its options, with their defaults, where it reads them.
  const text = readFileSync(file, 'utf8')
  const about = /^(?:\/\/.*\n)+/.exec(text)?.[0] ?? ''
  const options = text.matchAll(/^ +'?([\w-]+)'?: \{ type: '(\w+)'(?:.*default: (?:'([^']*)'|(\w+)))?/gm)
  console.log(about.replaceAll(/^\/\/ /gm, ''))
  for (const [, option, type, usual] of options)
    console.log(`  --${option}${type === 'string' ? ' VALUE' : ''}${usual ? `  (usually ${usual})` : ''}`)
  process.exit()
}
const { main } = (await import(file.href)) as { main: (args: string[]) => Promise<void> }
try {
  await main(rest)
} catch (error) {
  if (!isWrongOption(error)) throw error
  console.error(`${error.message}\nusage: npm run bench -- ${name} --help`)
  process.exit(2)
}

function isWrongOption(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}
