// Saved dashboards.
import type { BoardFacts } from '../../../boards/facts.ts'
import { json, type Request, send } from './http.ts'

export type { BoardFacts }

export interface Board extends BoardFacts {
  readonly document: unknown
}

interface BoardDraft {
  readonly title: string
  readonly shared: boolean
  readonly document: unknown
}

const root = '/dashboard/api/boards'

export function listBoards(options: Pick<Request, 'signal'>): Promise<readonly BoardFacts[]> {
  return json(root, { ...options, db: null })
}

export function readBoard(id: string, options: Pick<Request, 'signal'>): Promise<Board> {
  return json(`${root}/${encodeURIComponent(id)}`, { ...options, db: null })
}

/** A new one, or a change of the one that is given. */
export function saveBoard(draft: BoardDraft, before?: Pick<BoardFacts, 'id' | 'revision'>): Promise<Board> {
  const body = JSON.stringify(draft)
  const headers = { 'content-type': 'application/json' }
  if (before === undefined) return json(root, { method: 'POST', body, headers, db: null })
  const query = { revision: before.revision }
  return json(`${root}/${encodeURIComponent(before.id)}`, { method: 'PUT', body, headers, query, db: null })
}

export async function removeBoard(id: string): Promise<void> {
  await send(`${root}/${encodeURIComponent(id)}`, { method: 'DELETE', db: null })
}
