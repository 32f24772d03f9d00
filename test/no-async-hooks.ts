// Loaded before each test file (.taprc). To tell in which test an error escaped, tap follows every promise of the process with an async hook,
// which takes up to a quarter of the processor time of a file. Without it, an error that nobody catches ends the process with its stack: the test
// that ran is unfinished, and the file has failed.
import asyncHooks, { type AsyncHook } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

const silent: AsyncHook = { enable: () => silent, disable: () => silent }
Object.assign(asyncHooks, { createHook: () => silent })
syncBuiltinESMExports()
