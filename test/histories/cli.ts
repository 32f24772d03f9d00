// Clients side by side on one engine, killed again and again, against a model: `npm run histories -- --minutes N [--seed S] [--engine MODULE]`.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { runHistories } from './run.ts'

const report = (line: string) => void process.stdout.write(`${line}\n`)
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string' }, engine: { type: 'string' } }
})
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
report(`seed ${seed}`)
const started = Date.now()
const { steps, kills, comparisons, problem, folder } = await runHistories({
  seed,
  milliseconds: Number(values.minutes) * 60_000,
  ...(values.engine !== undefined && { engine: resolve(values.engine) })
})
const total = [...steps.values()].reduce((sum, count) => sum + count, 0)
report(`${total} steps, ${kills} kills, ${comparisons} comparisons in ${Math.round((Date.now() - started) / 1000)} s`)
for (const [what, count] of [...steps].sort()) report(`  ${count} × ${what}`)
if (problem !== undefined) {
  report(`seed ${seed}: ${problem}\nthe data is in ${folder}`)
  process.exitCode = 1
}
