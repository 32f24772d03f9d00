// A dashboard as it is being written.
import type { Board } from '../../api/boards.ts'
import { parameters } from '../../router.ts'
import { type BoardDocument, readDocument } from './document.ts'

export interface Draft {
  readonly title: string
  readonly shared: boolean
  readonly document: BoardDocument
}

export function draftOf(board: Board | undefined): Draft {
  if (board !== undefined) return { title: board.title, shared: board.shared, document: readDocument(board.document) }
  const [language, text] = [parameters.peek().get('lang'), parameters.peek().get('add')]
  const queries = [{ language: language === 'sql' ? 'sql' : 'promql', text: text ?? '' }]
  const exemplars = parameters.peek().get('exemplars') === '1'
  const title = text?.trim().replace(/\s+/g, ' ')
  const panels = text === null ? [] : [{ title, kind: 'chart', width: 24, height: 10, queries, exemplars }]
  const marks = parameters.peek().get('marks')
  const annotations = marks === null ? [] : [{ text: marks }]
  return { title: 'New dashboard', shared: false, document: readDocument({ panels, annotations }) }
}
