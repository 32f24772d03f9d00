// The rows of one statement, which runs once. They are kept as text outside of the page's heap and parsed a page at a time.
import { signal as makeSignal, type ReadonlySignal } from '@preact/signals'
import { cutRows } from '../row-cutter.ts'
import { brokenOff, send } from './http.ts'
import { type Column, paramsField, readJson, type SqlResult, type Statement } from './sql.ts'

/** Rows of a page. */
export const pageRows = 10_000
/** Rows that are kept, and characters of their text. */
const maxRows = 1_000_000
const maxCharacters = 256 * 2 ** 20

interface Progress {
  /** In whole pages until all are there. */
  readonly rows: number
  /** `full`: there are more than are kept; `stopped`: by the user. */
  readonly state: 'coming' | 'whole' | 'full' | 'stopped' | 'failed'
  readonly error?: unknown
}

export interface KeptRows {
  readonly progress: ReadonlySignal<Progress>
  /** Rows of a page that has come. */
  page(index: number): Promise<SqlResult['rows']>
  /** Stops loading further rows. */
  stop(): void
}

/** The first page of the rows of a single SELECT; the others, `most` in all, come meanwhile. The signal ends that. */
export async function keepRows({ text, params }: Statement, signal: AbortSignal, max = maxRows) {
  const form = { sql: text, params: paramsField(params), limit: max + 1 }
  const stopping = new AbortController()
  const response = await send('/v1/sql', { form, signal: AbortSignal.any([signal, stopping.signal]) })
  const took = Number(response.headers.get('x-svc-execution-time'))
  const first = Promise.withResolvers<readonly Column[]>()
  const pages = makePages(max)
  void readRows(response, pages, first.resolve).catch(error => {
    const isStopped = stopping.signal.aborted
    pages.end(isStopped ? 'stopped' : 'failed', isStopped ? undefined : (error as unknown))
    first.reject(error)
  })
  const columns = await first.promise
  const { page, progress } = pages
  const kept: KeptRows = { page, progress, stop: () => stopping.abort() }
  const result: SqlResult = { columns, rows: progress.value.rows > 0 ? await page(0) : [], took }
  return { result, kept }
}

function makePages(max: number) {
  const pages: Blob[] = []
  const progress = makeSignal<Progress>({ rows: 0, state: 'coming' })
  let characters = 0
  let isOver = false
  const isFull = () => characters > maxCharacters || progress.value.rows >= max
  return {
    progress,
    isFull,
    add(parts: readonly string[], rows: number) {
      isOver ||= isFull()
      if (isOver) return
      pages.push(new Blob(parts as string[]))
      characters += parts.reduce((sum, part) => sum + part.length, 0)
      progress.value = { ...progress.value, rows: progress.value.rows + rows }
    },
    end(state: Progress['state'], error?: unknown) {
      progress.value = { ...progress.value, state: isOver && state === 'whole' ? 'full' : state, error }
    },
    page: async (index: number) => readJson((await pages[index]?.text()) ?? '[]') as SqlResult['rows']
  }
}

const beforeRows = '"rows":['

/** Tells the columns once the first page is there, or all rows are. */
async function readRows(
  response: Response,
  { add, end, isFull, progress }: ReturnType<typeof makePages>,
  onFirst: (columns: readonly Column[]) => void
): Promise<void> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let head = ''
  let columns: readonly Column[] | undefined
  const cutter = cutRows(pageRows, add)
  for (;;) {
    const { value, done } = await reader.read().catch(error => {
      throw brokenOff(error)
    })
    if (done) throw brokenOff()
    let rest: string | undefined
    if (columns === undefined) {
      head += value
      const at = head.indexOf(beforeRows)
      if (at < 0) continue
      columns = columnsOf(head.slice(0, at))
      rest = cutter.push(head.slice(at + beforeRows.length))
    } else rest = cutter.push(value)
    if (rest === undefined && isFull() && cutter.rows() > progress.value.rows) {
      end('full')
      onFirst(columns)
      return reader.cancel()
    }
    if (rest !== undefined) end('whole')
    if (rest !== undefined || progress.value.rows > 0) onFirst(columns)
    if (rest !== undefined) return
  }
}

/** The answer up to its rows, which includes the schema. */
function columnsOf(head: string): readonly Column[] {
  const { output } = readJson(`${head}"rows":[]}}]}`) as {
    output: [{ records: { schema: { column_schemas: readonly { name: string; data_type: string }[] } } }]
  }
  return output[0].records.schema.column_schemas.map(({ name, data_type }) => ({ name, type: data_type }))
}
