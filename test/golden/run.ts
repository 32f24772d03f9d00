// Runs the cases of golden SQL files, each file in an empty server.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bootServer, type TestServer } from '../contract/server.ts'
import { emptyServer } from '../helpers.ts'
import { answerLines, isExpected } from './answer.ts'
import { type GoldenCase, readCases } from './case.ts'

export const goldenFolder = join(import.meta.dirname, 'sql')

/** Paths of all golden files, sorted. */
export function goldenFiles(): string[] {
  return readdirSync(goldenFolder)
    .filter(name => name.endsWith('.sql'))
    .sort()
    .map(name => join(goldenFolder, name))
}

export interface GoldenResult {
  readonly golden: GoldenCase
  readonly actual: readonly string[]
  readonly passed: boolean
}

const users = 'user_provider = "static_user_provider:cmd:rw:rw=golden,ro:ro=golden,wo:wo=golden"\n'

/** Runs the cases in a server of the file's own, with this TOML. */
export async function runFile(file: string, toml = ''): Promise<GoldenResult[]> {
  const server = await bootServer(users + toml)
  try {
    return await runCases(server, file)
  } finally {
    await server.discard()
  }
}

/**
 * Runs each of these files in one server, which is emptied after each, and calls `done` with the results. A file with a comment "Needs a server of
 * its own" gets one, because it shows what outlives tables: numbers of tables, metrics.
 */
export async function runFiles(
  files: readonly string[],
  done: (file: string, results: readonly GoldenResult[]) => unknown
): Promise<void> {
  const server = await bootServer(users)
  try {
    for (const file of files) {
      if (readFileSync(file, 'utf8').includes('\n-- Needs a server of its own')) await done(file, await runFile(file))
      else {
        await done(file, await runCases(server, file))
        await emptyServer(server, 'rw:golden')
      }
    }
  } finally {
    await server.discard()
  }
}

/** Asks the server case after case. Every case sees what those before it did. */
async function runCases(server: TestServer, file: string): Promise<GoldenResult[]> {
  const results: GoldenResult[] = []
  for (const golden of readCases(readFileSync(file, 'utf8'))) {
    const actual = await ask(server, golden)
    const named = internals(server).find(text => actual.some(line => line.includes(text)))
    if (named !== undefined) throw new Error(`the answer to ${golden.sql} names ${named}`)
    const column = columnLines(actual).find(line => line.includes('main.'))
    if (column !== undefined) throw new Error(`the answer to ${golden.sql} names columns as the engine does: ${column}`)
    results.push({ golden, actual, passed: isExpected(golden, actual) })
  }
  return results
}

/** What no answer names: folders, and what the engine runs in the place of a table. */
function internals({ folder }: TestServer): string[] {
  return [folder, process.cwd(), '/dev/shm/', 'read_parquet', '__tsid']
}

/** The lines that name columns: the first of each statement's. */
function columnLines(actual: readonly string[]): string[] {
  return actual.filter((line, i) => (i === 0 || actual[i - 1] === '--') && !line.startsWith('error '))
}

async function ask(server: TestServer, { sql, user, timezone, parameters }: GoldenCase): Promise<string[]> {
  const reply = await server.main.inject({
    method: 'POST',
    url: `/v1/sql?${new URLSearchParams(parameters)}`,
    headers: {
      authorization: `Basic ${Buffer.from(`${user}:golden`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
      ...(timezone !== undefined && { 'x-svc-timezone': timezone })
    },
    payload: new URLSearchParams({ sql }).toString()
  })
  const format = parameters['format'] ?? 'svc_v1'
  return answerLines(reply.statusCode, reply.body, reply.statusCode !== 200 || format === 'svc_v1')
}
