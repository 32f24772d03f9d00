// Runs bench/load.ts.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { LoadResult } from './load.ts'

/** Sends every body of a corpus file once; throws where one was refused. */
export async function load(url: string, corpus: string, connections: number, parts = 1): Promise<LoadResult> {
  const script = fileURLToPath(new URL('load.ts', import.meta.url))
  const numbers = ['--connections', String(connections), '--parts', String(parts)]
  const args = [script, '--url', url, '--corpus', corpus, ...numbers]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const result = JSON.parse(stdout) as LoadResult
  if (result.bad > 0) throw new Error(`${result.bad} of ${result.requests} requests failed, first: ${result.firstBad}`)
  return result
}
