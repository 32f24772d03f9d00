// Kills the real server again and again under load and counts its rows: `npm run chaos -- --rounds 1000 [--seed N]`.
import { parseArgs } from 'node:util'
import { runChaos } from './chaos/run.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string' }, seed: { type: 'string' } } })
const rounds = Number(values.rounds ?? 100)
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const report = (line: string) => void process.stdout.write(`${line}\n`)

report(`seed ${seed}`)
const started = Date.now()
const result = await runChaos({ rounds, seed, report })
const seconds = Math.round((Date.now() - started) / 1000)
report(`${result.rounds} rounds in ${seconds} s, ${result.answered} requests answered`)
for (const [end, count] of [...result.ends].sort()) report(`  ${count} × ${end}`)
for (const [words, count] of [...result.upkeep].sort()) report(`  ${count} × ${words}`)
report(`  ${result.files} files read by another reader`)
for (const [refusal, count] of result.refusals) report(`  ${count} × refused: ${refusal}`)
if (result.problems.length === 0) report('every answered row is there once, no request by half')
else {
  report(`seed ${seed}: ${result.problems.slice(0, 20).join('\n')}\nthe data is in ${result.folder}`)
  process.exitCode = 1
}
