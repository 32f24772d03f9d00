// What the two servers share: the grammar's thread, and the list of what runs.
import { type SqlParser, startParser } from './grammar/parser.ts'
import { createProcesses, type Processes } from './process.ts'

export interface SqlService {
  readonly parser: SqlParser
  readonly processes: Processes
  close(): Promise<void>
}

export function startService(): SqlService {
  const parser = startParser()
  return { parser, processes: createProcesses(), close: () => parser.close() }
}
