// The message of a line, with search words marked and ANSI colours shown.

import { readWords } from '../../log-words.ts'
import { partsOf } from './ansi.ts'
import type { Search } from './search.ts'
import './message.css'

/** Finds the words of a search in a text; undefined when it has none. */
export function markerOf({ text, ignoresCase }: Pick<Search, 'text' | 'ignoresCase'>): RegExp | undefined {
  const words = readWords(text).filter(({ isOut }) => !isOut)
  if (words.length === 0) return undefined
  const parts = words.map(({ text: word }) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`(${parts.join('|')})`, ignoresCase ? 'gi' : 'g')
}

export function Message({ text, marker }: { readonly text: string; readonly marker: RegExp | undefined }) {
  return (
    <>
      {partsOf(text).map(({ text: part, look }, i) => (
        <span key={i} class={look}>
          {marker === undefined
            ? part
            : // Every second piece is what was found.
              part.split(marker).map((piece, at) => (at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece))}
        </span>
      ))}
    </>
  )
}
