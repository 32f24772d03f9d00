// A table with borders for people: cells are JSON text, columns as wide as their widest cell on a terminal.
import type { RecordsAnswer, ResultFormat } from './answer.ts'
import { batchBytes, heldBytes, heldRows, tooManyRows } from './answer.ts'
import { jsonCells } from './json-value.ts'
import { displayWidth } from './width.ts'

export const table: ResultFormat = {
  header: 'table',
  contentType: 'text/plain; charset=utf-8',
  several: false,
  async *encode([answer]) {
    if (answer === undefined) return
    if (answer.kind === 'affected') yield `${answer.rows}\n`
    else yield* layOut(answer)
  }
}

async function* layOut(answer: RecordsAnswer): AsyncGenerator<string> {
  const names = answer.columns.map(({ name }) => name.replace(/\s/g, ' '))
  const rows = await readRows(answer)
  const widths = names.map((name, c) =>
    rows.reduce((width, row) => Math.max(width, displayWidth(row[c]!)), displayWidth(name))
  )
  const pad = (text: string, c: number, fill: string) => text + fill.repeat(widths[c]! - displayWidth(text))
  yield `┌${names.map((name, c) => `─${pad(name, c, '─')}─`).join('┬')}┐\n`
  for (let from = 0; from < rows.length; from += 1000) {
    const lines = rows.slice(from, from + 1000)
    yield lines.map(row => `│${row.map((cell, c) => ` ${pad(cell, c, ' ')} `).join('│')}│\n`).join('')
  }
  yield `└${names.map((_, c) => `─${pad('', c, '─')}─`).join('┴')}┘\n`
}

async function readRows(answer: RecordsAnswer): Promise<string[][]> {
  const rows: string[][] = []
  let bytes = 0
  for await (const batch of answer.batches()) {
    bytes += batchBytes(batch)
    if (rows.length + batch.rows > heldRows || bytes > heldBytes) throw tooManyRows('table')
    const cells = answer.columns.map(({ type }, c) => jsonCells(type, batch.columns[c]!))
    for (let row = 0; row < batch.rows; row++) rows.push(cells.map(cell => cell(row)))
  }
  return rows
}
