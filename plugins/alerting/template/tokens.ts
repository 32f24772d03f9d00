// Splits a template into text and actions, and an action into tokens.

interface Piece {
  readonly kind: 'text' | 'action'
  readonly text: string
}

/** Throws Error for an unclosed action. */
export function splitTemplate(source: string): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  let trimsNext = false
  const add = (text: string, trimsEnd: boolean) => {
    let kept = trimsNext ? text.replace(/^[ \t\r\n]+/, '') : text
    if (trimsEnd) kept = kept.replace(/(?<![ \t\r\n])[ \t\r\n]+$/, '')
    if (kept !== '') pieces.push({ kind: 'text', text: kept })
  }
  for (;;) {
    const start = source.indexOf('{{', at)
    if (start < 0) break
    const trims = /^-[ \t\r\n]/.test(source.slice(start + 2, start + 4))
    add(source.slice(at, start), trims)
    const end = actionEnd(source, start + 2)
    let text = source.slice(start + 2 + (trims ? 1 : 0), end)
    trimsNext = /[ \t\r\n]-$/.test(text)
    if (trimsNext) text = text.slice(0, -1)
    text = text.trim()
    if (!/^\/\*[\s\S]*\*\/$/.test(text)) pieces.push({ kind: 'action', text })
    at = end + 2
  }
  add(source.slice(at), false)
  return pieces
}

function actionEnd(source: string, from: number): number {
  for (let at = from; at < source.length; at++) {
    const character = source[at]!
    if (character === '}' && source[at + 1] === '}') return at
    if (character === '"' || character === '`') at = quoteEnd(source, at)
  }
  throw new Error('unclosed action: {{ without }}')
}

function quoteEnd(source: string, from: number): number {
  const quote = source[from]!
  for (let at = from + 1; at < source.length; at++) {
    if (source[at] === '\\' && quote === '"') at++
    else if (source[at] === quote) return at
  }
  throw new Error('a text in quotes does not end')
}

export type Token =
  | { readonly kind: 'word'; readonly text: string }
  /** `.a.b`, `$x.a`, `.`, `$`: the beginning, and the fields behind it. */
  | { readonly kind: 'path'; readonly head: string; readonly fields: readonly string[] }
  | { readonly kind: 'value'; readonly value: string | number }
  | { readonly kind: 'sign'; readonly text: '(' | ')' | '|' | ':=' | '=' | ',' }

const tokenPattern =
  /\s+|(\$\w*(?:\.\w+)*|(?:\.[A-Za-z_]\w*)+|\.)(?![\w.])|("(?:[^"\\]|\\.)*"|`[^`]*`)|([+-]?(?:0[xX][\da-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?))(?![\w.])|([A-Za-z_]\w*)|(:=|[()|=,])/gy

export function tokenizeAction(text: string): Token[] {
  const tokens: Token[] = []
  tokenPattern.lastIndex = 0
  while (tokenPattern.lastIndex < text.length) {
    const at = tokenPattern.lastIndex
    const found = tokenPattern.exec(text)
    if (found === null) throw new Error(`unexpected ${JSON.stringify(text.slice(at, at + 20))} in {{ ${text} }}`)
    const [, path, quoted, number, word, sign] = found
    if (path !== undefined) tokens.push(pathToken(path))
    else if (quoted !== undefined) tokens.push({ kind: 'value', value: unquote(quoted) })
    else if (number !== undefined) tokens.push({ kind: 'value', value: Number(number) })
    else if (word !== undefined) tokens.push({ kind: 'word', text: word })
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign as '(' })
  }
  return tokens
}

function pathToken(path: string): Token {
  const [head, ...fields] = path === '.' ? [''] : path.split('.')
  return { kind: 'path', head: head === '' ? '.' : head!, fields }
}

function unquote(quoted: string): string {
  if (quoted.startsWith('`')) return quoted.slice(1, -1)
  const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', '"': '"', "'": "'" }
  return quoted.slice(1, -1).replace(/\\(u[\da-fA-F]{4}|x[\da-fA-F]{2}|.)/gs, (whole, code: string) => {
    if (/^[ux]./.test(code)) return String.fromCharCode(Number.parseInt(code.slice(1), 16))
    const text = escapes[code]
    if (text === undefined) throw new Error(`unknown escape ${whole} in a text`)
    return text
  })
}
