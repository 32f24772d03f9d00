#!/usr/bin/env node
// npm create weir-plugin [KIND] [NAME]: asks for what is missing, writes the package, says what comes next. Needs no network.
import { createInterface } from 'node:readline'
import { createPlugin, kindProblem, kinds, nameProblem } from './create.js'

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
  const problem = kind && kindProblem(kind)
  if (problem) throw new Error(problem)
  if (!process.stdin.isTTY) throw new Error(`KIND and NAME are missing\n\n${usage}`)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    // By lines, not by questions: what is pasted brings several at once.
    const lines = terminal[Symbol.asyncIterator]()
    if (kind === undefined) process.stdout.write(`${usage.slice(usage.indexOf('Kinds:'))}\n\n`)
    const chosen = kind ?? (await ask(terminal, lines, 'Kind: ', kindProblem))
    write(chosen, await ask(terminal, lines, 'Name: ', nameProblem))
  } finally {
    terminal.close()
  }
}

/** Asks until nothing is wrong with the answer. */
async function ask(terminal, lines, question, problemOf) {
  for (;;) {
    terminal.setPrompt(question)
    terminal.prompt()
    const { done, value = '' } = await lines.next()
    if (done) throw new Error('no answer, nothing was written')
    const answer = value.trim()
    const problem = problemOf(answer)
    if (problem === undefined) return answer
    process.stdout.write(`${problem}\n`)
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
