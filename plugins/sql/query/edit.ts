// Replacements in the text of a statement, and the text with all of them made.
import type { Condition, Relation, Table } from '../../../core/index.ts'
import type { Canonical } from '../text/canonical.ts'

/** A replacement of part of the text; with a table instead of text the engine fills it in. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly table?: Table
  readonly alias?: string
  /** Names of the only columns of it the statement can mean; default all. */
  readonly columns?: readonly string[]
  /** The condition on its rows. */
  readonly where?: Condition
  /** Tables in `text`. */
  readonly relations?: readonly Relation[]
  /** Text before and behind what stands there. */
  readonly before?: string
  readonly after?: string
}

/** Where tokens stand in the text, from the first to the last. */
export function span({ starts, ends }: Canonical, first: number, last = first): { start: number; end: number } {
  return { start: starts[first]!, end: ends[last]! }
}

/** The edit that puts text in place of tokens, from the first to the last. */
export function replace(statement: Canonical, first: number, last: number, text: string): Edit {
  return { ...span(statement, first, last), text }
}

/** The edit that puts text before a token. */
export function putBefore({ starts }: Canonical, token: number, text: string): Edit {
  const start = starts[token]!
  return { start, end: start, text }
}

/** The edit that puts text behind a token. */
export function putBehind(statement: Canonical, token: number, text: string): Edit {
  const { end } = span(statement, token)
  return { start: end, end, text }
}

export function shiftRelation(relation: Relation, by: number): Relation {
  return { ...relation, start: relation.start + by, end: relation.end + by }
}

interface Edited {
  readonly text: string
  /** Where the tables stand in it. */
  readonly relations: readonly Relation[]
  /** The offset before the edits of an offset after them; where something was put, the beginning of what it replaced. */
  origin(at: number): number
}

/** The text with all edits made. */
export function applyEdits(text: string, edits: readonly Edit[]): Edited {
  const relations: Relation[] = []
  /** Where each edit begins and ends in the new text, and in the old one. */
  const moves: { readonly from: number; readonly to: number; readonly edit: Edit }[] = []
  let out = ''
  let at = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    out += text.slice(at, edit.start)
    const from = out.length
    out += edit.before ?? ''
    if (edit.table !== undefined) {
      const { table, alias, columns, where } = edit
      // The name stays in the text; the engine replaces it.
      const name = text.slice(edit.start, edit.end)
      relations.push({
        start: out.length,
        end: out.length + name.length,
        table,
        ...(alias !== undefined && { alias }),
        ...(columns !== undefined && { columns }),
        ...(where !== undefined && { where })
      })
      out += name
    } else {
      relations.push(...(edit.relations ?? []).map(each => shiftRelation(each, out.length)))
      out += edit.text
    }
    out += edit.after ?? ''
    at = edit.end
    moves.push({ from, to: out.length, edit })
  }
  const origin = (offset: number) => {
    const last = moves.findLast(({ from }) => from <= offset)
    if (last === undefined) return offset
    return offset < last.to ? last.edit.start : last.edit.end + offset - last.to
  }
  return { text: out + text.slice(at), relations, origin }
}
