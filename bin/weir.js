#!/usr/bin/env node
// The entry of the command: checks the Node version, then loads the TypeScript of the repository or the JavaScript built from it.
import { existsSync } from 'node:fs'

const source = new URL('./main.ts', import.meta.url)
// Node strips types only from files outside of node_modules.
const inRepository = existsSync(source)

/** 8 MiB for young objects: V8's default on large machines is 128 MiB, which is not faster. */
const youngSpace = '--max-semi-space-size'
/** Collects garbage when the heap has doubled; V8's default lets it quadruple if memory is available. */
const heapGrowth = '--heap-growing-percent'
/** Prevents that a signal (SIGUSR1) opens a debugger. */
const noDebugger = '--disable-sigusr1'
/**
 * glibc: few arenas, and blocks of a megabyte and more are returned to the system at once, which avoids fragmentation. A user's own settings
 * take precedence.
 */
const allocator = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576', MALLOC_TRIM_THRESHOLD_: '1048576' }

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

/** Re-executes the command with settings that only take effect at process start; the process id stays the same. */
function tune() {
  const { argv, env, execArgv, execPath, platform } = process
  const given = [...execArgv, env.NODE_OPTIONS ?? '']
  const wanted = [`${youngSpace}=8`, `${heapGrowth}=100`, noDebugger]
  const flags = wanted.filter(flag => !given.some(text => text.includes(flag.split('=')[0])))
  if (flags.length === 0 || platform === 'win32') return
  process.execve(execPath, [execPath, ...flags, ...execArgv, ...argv.slice(1)], { ...allocator, ...env })
}
