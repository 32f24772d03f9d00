// The canonical text of a statement with the way back to where each part stood in the source.
import { type Token, tokenText } from './token.ts'

export interface Canonical {
  readonly text: string
  readonly tokens: readonly Token[]
  /** Offset of each token in `text`, and behind it. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** Writes tokens on one line, each as `textOf` has it; space stands where the source had some and around quotes. */
export function canonical(tokens: readonly Token[], textOf = tokenText): Canonical {
  const starts: number[] = []
  const ends: number[] = []
  const parts: string[] = []
  let length = 0
  tokens.forEach((token, i) => {
    const part = textOf(token)
    const space = i > 0 && needsSpace(tokens[i - 1]!, token) ? ' ' : ''
    parts.push(space, part)
    starts.push(length + space.length)
    length += space.length + part.length
    ends.push(length)
  })
  return { text: parts.join(''), tokens, starts, ends }
}

const tight = new Set(['.', '(', ')', '[', ']', ',', ';'])

/** Quotes never touch what is before them: `n'…'` and `u&'…'` mean different things to different readers. */
function needsSpace(before: Token, token: Token): boolean {
  if (token.spaced) return true
  if (token.kind === 'symbol') return false
  // `.1` behind a name is an element of it.
  if (token.kind === 'number') return before.kind !== 'symbol' && !token.value.startsWith('.')
  return !tight.has(before.value) || before.kind !== 'symbol'
}

/** Tokens as a person would name the expression: unquoted words in lower case, single spaces. */
export function label(tokens: readonly Token[]): string {
  return tokens
    .map((token, i) => {
      if (token.parameter === '') return ''
      const before = tokens[i - 1]
      const close = before === undefined || before.value === '(' || token.value === ')' || !token.spaced
      return (close ? '' : ' ') + (token.parameter ?? labelText(token))
    })
    .join('')
}

function labelText(token: Token): string {
  return token.kind === 'word' ? token.value.toLowerCase() : token.kind === 'number' ? token.value : tokenText(token)
}
