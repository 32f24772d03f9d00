// Loaded before each test file (.taprc). The hundreds of processes of a test run load the same modules, so they share a cache of compiled code.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

export const compileCache = fileURLToPath(new URL('../node_modules/.cache/weir-test', import.meta.url))

enableCompileCache(compileCache)
// For the commands that tests run.
process.env['NODE_COMPILE_CACHE'] = compileCache
