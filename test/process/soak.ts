// Loads the real server with everything at once and says whether it stays flat: `npm run soak -- --minutes 30 [--kills 3]`.
import { parseArgs } from 'node:util'
import { reportMinutes, reportResult } from './soak/report.ts'
import { runSoak } from './soak/run.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string' }, kills: { type: 'string' } } })
const minutes = Number(values.minutes ?? 30)
const kills = Number(values.kills ?? 0)
if (!(minutes > 0) || !(kills >= 0)) throw new Error('--minutes is a number above 0, --kills one from 0')
const print = (line: string) => void process.stdout.write(`${line}\n`)

let told = 0
const result = await runSoak({
  minutes,
  kills,
  report({ at, rss, delay }) {
    if (at < told) return
    told = at + 60_000
    print(
      `minute ${(at / 60_000).toFixed(0)}: ${Math.round(rss / 2 ** 20)} MiB resident, ${Math.round(delay * 1000)} ms delay`
    )
  }
})
for (const line of [...reportMinutes(result.readings), ...reportResult(result)]) print(line)
const growing = result.verdicts.filter(({ isFlat }) => !isFlat)
if (growing.length > 0 || result.errors.size > 0) process.exitCode = 1
