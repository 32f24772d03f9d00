#!/usr/bin/env node
// The entry of the command: checks the Node version, then loads the TypeScript of the repository or the JavaScript built from it.
import { existsSync } from 'node:fs'

const source = new URL('./main.ts', import.meta.url)
// Node strips types of files outside of node_modules only.
const inRepository = existsSync(source)

/** Young objects get 16 MiB: by itself V8 takes 128 MiB on a large machine and is not faster by it. */
const youngSpace = '--max-semi-space-size'
/** The heap is looked through when it has doubled: by itself V8 lets it grow four times as large where the machine has the memory. */
const heapGrowth = '--heap-growing-percent'
/** Nobody who may send a signal opens a debugger with it. */
const noDebugger = '--disable-sigusr1'
/** glibc: few arenas, and blocks of some size go back to the system at once: holes do not. A user's own settings win. */
const allocator = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '1048576' }

if (Number(process.versions.node.split('.')[0]) < 24) {
  const how = inRepository
    ? 'run it as `npx weir …` or `node_modules/.bin/node bin/weir.js …` after `npm install`, which brings Node 24'
    : 'install Node 24 or newer'
  process.stderr.write(`weir: needs Node 24 or newer, this is ${process.versions.node}: ${how}\n`)
  process.exitCode = 2
} else {
  if (['start', 'demo'].includes(process.argv[2])) tune()
  const { main } = await import(inRepository ? source.href : './main.js')
  await main(process.argv.slice(2))
}

/** Becomes the same command with settings that are read only when a process starts; the process keeps its number. */
function tune() {
  const { argv, env, execArgv, execPath, platform } = process
  const given = [...execArgv, env.NODE_OPTIONS ?? '']
  const wanted = [`${youngSpace}=8`, `${heapGrowth}=100`, noDebugger]
  const flags = wanted.filter(flag => !given.some(text => text.includes(flag.split('=')[0])))
  if (flags.length === 0 || platform === 'win32') return
  process.execve(execPath, [execPath, ...flags, ...execArgv, ...argv.slice(1)], { ...allocator, ...env })
}
