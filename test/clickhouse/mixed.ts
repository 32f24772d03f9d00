// Two front ends over one ClickHouse under mixed load: `npm run front-ends -- [--minutes 10] [--seed N]`. Ends with 1 where a row is lost,
// there twice, or a client was told what it cannot repeat.
import { parseArgs } from 'node:util'
import { runMixed } from './mixed/run.ts'
import { needingClickHouse } from './server.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } } })
const seconds = Number(values.minutes) * 60
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const print = (line: string) => void process.stdout.write(`${line}\n`)
if (!(seconds > 0)) throw new Error('--minutes is a number above 0')
const { skip } = needingClickHouse()
if (skip !== false) {
  print(skip)
  process.exit(1)
}

print(`seed ${seed}`)
const ends: (() => unknown)[] = []
const { requests, rows, queries, met, doubled, problems } = await runMixed(
  { teardown: work => void ends.push(work) },
  { seconds, seed, report: print }
)
print(`${requests} requests with ${rows} rows answered, ${queries} queries`)
for (const [what, count] of met) print(`  ${count} × ${what}`)
if (doubled > 0) print(`  ${doubled} requests that broke when a front end was killed are there twice`)
print(problems.length === 0 ? 'every answered row is there once' : problems.join('\n'))
for (const end of ends.reverse()) await end()
process.exit(problems.length === 0 ? 0 : 1)
