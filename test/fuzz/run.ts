// `npm run fuzz -- NAME [--runs N] [--seed S]`: runs test/fuzz/NAME.ts; ends with 1 and the input that broke something.
import { existsSync, readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Fuzz } from './random.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '10000' }, seed: { type: 'string' } }
})
const [name = ''] = positionals
const file = new URL(`${name}.ts`, import.meta.url)
const parts = ['run', 'random', 'bend', 'columns', 'reading']
if (!/^[a-z-]+$/.test(name) || parts.includes(name) || !existsSync(file)) {
  const names = readdirSync(new URL('.', import.meta.url)).filter(entry => !parts.includes(entry.slice(0, -3)))
  console.error(
    `usage: npm run fuzz -- NAME [--runs N] [--seed S], NAME one of ${names.map(entry => entry.slice(0, -3)).join(', ')}`
  )
  process.exit(2)
}
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed)
const { fuzz } = (await import(file.href)) as { fuzz: Fuzz }
const started = performance.now()
const found = fuzz(seed, Number(values.runs))
const seconds = ((performance.now() - started) / 1000).toFixed(1)
console.log(`${name}: ${found.runs} runs in ${seconds} s, seed ${seed}: ${found.summary}`)
if (found.broken !== undefined) {
  console.error(found.broken)
  process.exit(1)
}
