// `j->'a'` in parentheses: to the grammar and the engine LIKE, IN, NOT and others bind closer than an arrow, which may be that of a lambda.
import { endsValue, isPair, isToken, type Token, tokensAt } from '../text/token.ts'
import { takesLambda } from './bind.ts'
import { operandStart } from './cast.ts'

export function closeArrows(written: readonly Token[]): readonly Token[] {
  if (!written.some((_, i) => isPair(written, i, '-', '>'))) return written
  const tokens: Token[] = []
  /** Of each open bracket, whether a lambda may stand in it. */
  const brackets: boolean[] = []
  for (let at = 0; at < written.length; at++) {
    const token = written[at]!
    const links = endsValue(tokens.at(-1)) ? linksAt(written, at) : []
    const start = links.length === 0 ? -1 : operandStart(tokens, tokens.length - 1)
    const isLambda = brackets.at(-1) === true && [',', '('].some(sign => isToken(tokens[start - 1], sign))
    if (start >= 0 && !isLambda) {
      const operand = tokens.splice(start)
      const closed = links.flatMap(link => [link, ')'])
      for (const each of tokensAt(operand[0]!, ['('.repeat(links.length), operand, ...closed])) tokens.push(each)
      at += links.flat().length - 1
      continue
    }
    if (token.kind === 'symbol' && '([{'.includes(token.value))
      brackets.push(token.value === '(' && takesLambda(written[at - 1]?.value.toLowerCase() ?? ''))
    if (token.kind === 'symbol' && ')]}'.includes(token.value)) brackets.pop()
    tokens.push(token)
  }
  return tokens
}

/** The arrows that begin at a token, each with the constant behind it. */
function linksAt(tokens: readonly Token[], first: number): (readonly Token[])[] {
  const links: (readonly Token[])[] = []
  for (let at = first; isPair(tokens, at, '-', '>'); ) {
    const end = isPair(tokens, at + 1, '>', '>') ? at + 3 : at + 2
    if (tokens[end]?.kind !== 'string' && tokens[end]?.kind !== 'number') break
    links.push(tokens.slice(at, end + 1))
    at = end + 1
  }
  return links
}
