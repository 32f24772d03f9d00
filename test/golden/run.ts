// Runs the cases of golden SQL files, each file in an empty server.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bootServer, type TestServer } from '../contract/server.ts'
import { askSql } from '../helpers.ts'
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
        await empty(server)
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

/** Drops every flow, view, table and database; throws where one stays. */
async function empty(server: TestServer): Promise<void> {
  const run = (sql: string) => askSql(server, sql, { user: 'rw:golden' })
  for (const kind of ['FLOW', 'VIEW', 'TABLE', 'DATABASE']) {
    const list = async () => {
      const rows: [string][] = await run(`SHOW ${kind}S`)
      return rows.flat().filter(name => !standing.includes(name))
    }
    let names = await list()
    while (names.length > 0) {
      const failures: unknown[] = []
      for (const name of names) {
        const drop = `DROP ${kind} "${name.replaceAll('"', '""')}"${kind === 'DATABASE' ? ' CASCADE' : ''}`
        await run(drop).catch(error => failures.push(error))
      }
      // A physical table goes after its logical tables: the next round drops it.
      if (failures.length === names.length) throw failures[0]
      names = await list()
    }
  }
}

/** Databases that every server has. */
const standing: readonly string[] = ['public', 'information_schema', 'svc_private']

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
