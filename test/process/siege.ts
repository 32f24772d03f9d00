// Attackers of every kind beside honest clients: `npm run siege -- [--minutes 20] [--only WORDS]`. Ends with 1 where a bound is broken.
import { parseArgs } from 'node:util'
import { brokenBounds, describePhase, describeSiege } from './siege/report.ts'
import { runSiege } from './siege/run.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '20' }, only: { type: 'string' } } })
const minutes = Number(values.minutes)
if (!(minutes > 0)) throw new Error('--minutes is a number above 0')
const print = (line: string) => void process.stdout.write(`${line}\n`)

const siege = await runSiege({ minutes, only: values.only, report: phase => describePhase(phase).forEach(print) })
describeSiege(siege).forEach(print)
const broken = brokenBounds(siege)
for (const each of broken) print(`BROKEN: ${each}`)
process.exit(broken.length > 0 ? 1 : 0)
