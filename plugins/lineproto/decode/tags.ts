// Parses the tags of a line. Called only for keys (measurement and tags, as bytes) that were not seen before.
import { type DbError, nameProblem, type SeriesLabel } from '../../../core/index.ts'
import { escapable, undoEscapes, unescapeText } from './escape.ts'
import { failure } from './position.ts'

const [comma, equals, backslash] = [0x2c, 0x3d, 0x5c]

/** A tag with the offset of its name. */
export interface Tag extends SeriesLabel {
  readonly at: number
}

/** Tags of one line at most: they are read without a pause. */
export interface TagLimit {
  readonly max: number
  /** The error for a line with more. */
  refusal(): DbError
}

/** The tags in `body[start … end]`, a measurement with its tags; the last of equal names counts. Throws ParseError, and the limit's refusal. */
export function readTags(body: Uint8Array, start: number, end: number, limit: TagLimit): readonly Tag[] {
  const tags = new Map<string, Tag>()
  for (let at = seek(body, start, end, comma); at < end; ) {
    const key = at + 1
    const next = seek(body, key, end, comma)
    const middle = seek(body, key, next, equals)
    if (middle === key || key === next) throw failure(body, key, 'a tag without a name')
    if (middle === next) throw failure(body, next, 'a tag needs = and a value')
    if (middle + 1 === next) throw failure(body, next, 'a tag has an empty value')
    const other = seek(body, middle + 1, next, equals)
    if (other < next) throw failure(body, other, 'an = in a tag value must be written as \\=')
    const name = unescapeText(body, key, middle, escapable.key)
    const problem = nameProblem('column', name)
    if (problem !== undefined) throw failure(body, key, problem)
    if (tags.size === limit.max && !tags.has(name)) throw limit.refusal()
    tags.set(name, { name, value: undoEscapes(body, middle + 1, next, escapable.key), at: key })
    at = next
  }
  return [...tags.values()]
}

/** The position of an unescaped byte; `end` if there is none. */
function seek(body: Uint8Array, start: number, end: number, wanted: number): number {
  for (let i = start; i < end; i++) {
    if (body[i] === wanted) return i
    if (body[i] === backslash) i++
  }
  return end
}
