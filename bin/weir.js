#!/usr/bin/env node
// The entry of the command: checks the Node version, then loads the TypeScript of the repository or the built JavaScript.
import { existsSync } from 'node:fs'

const source = new URL('./weir.ts', import.meta.url)
// Node strips types of files outside of node_modules only.
const inRepository = existsSync(source) && !source.pathname.includes('/node_modules/')

if (Number(process.versions.node.split('.')[0]) < 24) {
  const how = inRepository
    ? 'run it as `npx weir …` or `node_modules/.bin/node bin/weir.js …` after `npm install`, which brings Node 24'
    : 'install Node 24 or newer'
  process.stderr.write(`weir: needs Node 24 or newer, this is ${process.versions.node}: ${how}\n`)
  process.exitCode = 2
} else {
  const { main } = await import(inRepository ? source.href : new URL('../dist/bin/weir.js', import.meta.url).href)
  await main(process.argv.slice(2))
}
