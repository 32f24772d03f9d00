// A table with borders, for people: cells are JSON text, columns as wide as their widest cell on a terminal.
import { DbError } from '../errors.ts'
import type { RecordsAnswer, ResultFormat } from './answer.ts'
import { batchBytes, heldBytes, heldRows, tooManyRows } from './answer.ts'
import { type Cell, jsonCellsInPieces } from './json-value.ts'
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

/** Characters of cells handled without a pause; an empty piece lets other work run. */
const stepLength = 1 << 16
/** Characters of one cell. */
const maxLength = 1 << 18

async function* layOut(answer: RecordsAnswer): AsyncGenerator<string> {
  const names = answer.columns.map(({ name }) => name.replace(/\s/g, ' '))
  const widths = names.map(displayWidth)
  const rows: string[][] = []
  yield* readRows(answer, rows, widths)
  const pad = (text: string, c: number, fill: string) => text + fill.repeat(widths[c]! - displayWidth(text))
  yield `┌${names.map((name, c) => `─${pad(name, c, '─')}─`).join('┬')}┐\n`
  let text = ''
  for (const row of rows) {
    for (let c = 0; c < row.length; c++) {
      text += `${c === 0 ? '' : ' '}│ ${pad(row[c]!, c, ' ')}`
      if (text.length < stepLength) continue
      yield text
      text = ''
    }
    text += ' │\n'
  }
  yield text
  yield `└${names.map((_, c) => `─${pad('', c, '─')}─`).join('┴')}┘\n`
}

/** Collects the rows and the widths of the columns. */
async function* readRows(answer: RecordsAnswer, rows: string[][], widths: number[]): AsyncGenerator<string> {
  let bytes = 0
  let step = 0
  for await (const batch of answer.batches()) {
    bytes += batchBytes(batch)
    if (rows.length + batch.rows > heldRows || bytes > heldBytes) throw tooManyRows('table')
    const cells = answer.columns.map(({ type }, c) => jsonCellsInPieces(type, batch.columns[c]!))
    for (let i = 0; i < batch.rows; i++) {
      const row: string[] = []
      rows.push(row)
      for (let c = 0; c < cells.length; c++) {
        const cell = whole(cells[c]!(i))
        row.push(cell)
        widths[c] = Math.max(widths[c]!, displayWidth(cell))
        step += 16 + cell.length
        if (step < stepLength) continue
        step = 0
        yield ''
      }
    }
  }
}

/** Throws DbError `InvalidArguments` for a cell that is too long. */
function whole(cell: Cell): string {
  let text = ''
  for (const piece of typeof cell === 'string' ? [cell] : cell) {
    text += piece
    if (text.length > maxLength) throw tooLong()
  }
  return text
}

function tooLong(): DbError {
  const reason = `a value has more than ${maxLength} characters, which the format table does not take`
  return new DbError('InvalidArguments', `${reason}: use another format`)
}
