#!/usr/bin/env node
// npm create weir-plugin [KIND] [NAME]: asks for what is missing, writes the package, says what comes next. Needs no network.
import { createInterface } from 'node:readline/promises'
import { createPlugin, kinds } from './create.js'

const usage = `Writes the package of a new plugin for Weir into the folder weir-plugin-NAME.

Usage: npm create weir-plugin [KIND] [NAME]

Kinds:
${Object.entries(kinds)
  .map(([kind, { text }]) => `  ${kind.padEnd(10)} ${text}`)
  .join('\n')}`

try {
  await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`create-weir-plugin: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}

async function main([kind, name]) {
  if (kind === '--help' || kind === '-h') return process.stdout.write(`${usage}\n`)
  if (kind !== undefined && name !== undefined) return write(kind, name)
  if (!process.stdin.isTTY) throw new Error(`KIND and NAME are missing\n\n${usage}`)
  const ask = createInterface({ input: process.stdin, output: process.stdout })
  try {
    if (kind === undefined) process.stdout.write(`${usage.slice(usage.indexOf('Kinds:'))}\n\n`)
    await write(kind ?? (await ask.question('Kind: ')).trim(), name ?? (await ask.question('Name: ')).trim())
  } finally {
    ask.close()
  }
}

function write(kind, name) {
  const { folder, files } = createPlugin(kind, name)
  process.stdout.write(`${files.map(file => `${folder}/${file}`).join('\n')}\n
cd ${folder}
npm install
npm test
npm start\n`)
}
