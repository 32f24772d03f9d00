// Templates of labels and annotations: the subset of Go templates that rules use, parsed once and filled in per alert.
import { didYouMean } from '../../../core/index.ts'
import { functions, TemplatePatterns } from './functions.ts'
import { splitTemplate, type Token, tokenizeAction } from './tokens.ts'
import { isTrue, printValue, type Value } from './value.ts'

/** The data a template can access. */
export interface TemplateData {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
  readonly externalURL: string
  readonly externalLabels: Readonly<Record<string, string>>
  /** Answers of the template's queries, by query text. */
  readonly answers: ReadonlyMap<string, Value>
}

/** Throws Error for invalid operations, and Unanswered. */
export type Template = (data: TemplateData) => string

/** The template needs a query's answer and must be filled in again with it. */
export class Unanswered extends Error {
  readonly query: string

  constructor(query: string) {
    super(`not asked yet: ${query}`)
    this.query = query
  }
}

type Expression =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'path'; readonly head: string; readonly fields: readonly string[] }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly of: Expression }
  | { readonly kind: 'set'; readonly name: string; readonly isNew: boolean; readonly of: Expression }
  | {
      readonly kind: 'if' | 'with' | 'range'
      readonly of: Expression
      /** Variables it declares; for `range` the index, then the element. */
      readonly names: readonly string[]
      readonly then: readonly Node[]
      readonly otherwise: readonly Node[]
    }

/** Maximum steps per template. */
const maxSteps = 10_000
/** Characters of what a template makes, and of each value in it. */
const maxText = 1 << 20

/** Parses a template. Throws Error for invalid or unsupported syntax. */
export function parseTemplate(source: string): Template {
  if (!source.includes('{{')) return () => source
  const nodes = new Parser(source).parse()
  const patterns = new TemplatePatterns()
  return data => {
    patterns.begin()
    const scope = new Map<string, Value>([
      ['$labels', data.labels],
      ['$value', data.value],
      ['$externalLabels', data.externalLabels],
      ['$externalURL', data.externalURL]
    ])
    const { labels, value, externalLabels, externalURL } = data
    const root = { Labels: labels, Value: value, ExternalLabels: externalLabels, ExternalURL: externalURL }
    scope.set('$', root)
    return run(nodes, { scope, dot: root, answers: data.answers, patterns, steps: { left: maxSteps, text: maxText } })
  }
}

class Parser {
  readonly #pieces
  #at = 0
  #ends = ''
  /** Variables in scope, innermost last. */
  readonly #known = ['$', '$labels', '$value', '$externalLabels', '$externalURL']

  constructor(source: string) {
    this.#pieces = splitTemplate(source)
  }

  parse(): Node[] {
    const nodes = this.#block()
    if (this.#ends !== '') throw new Error(`unexpected {{ ${this.#ends} }}`)
    return nodes
  }

  /** Parses up to `else` or `end`; `#ends` tells which. */
  #block(): Node[] {
    const nodes: Node[] = []
    const known = this.#known.length
    this.#ends = ''
    while (this.#at < this.#pieces.length) {
      const { kind, text } = this.#pieces[this.#at++]!
      if (kind === 'text') nodes.push({ kind, text })
      else if (/^(?:end$|else\b)/.test(text)) {
        this.#ends = text
        break
      } else nodes.push(this.#action(text))
    }
    this.#known.length = known
    return nodes
  }

  #action(text: string): Node {
    const keyword = /^(if|with|range)\b/.exec(text)?.[1] as 'if' | 'with' | 'range' | undefined
    if (keyword !== undefined) return this.#branch(keyword, text.slice(keyword.length))
    const tokens = tokenizeAction(text)
    const [name, sign] = tokens
    if (name?.kind === 'path' && sign?.kind === 'sign' && (sign.text === ':=' || sign.text === '=')) {
      const variable = this.#variable(name)
      const isNew = sign.text === ':='
      const of = this.#pipeline(tokens.slice(2), text)
      if (isNew) this.#known.push(variable)
      else this.#requireKnown(variable)
      return { kind: 'set', name: variable, isNew, of }
    }
    return { kind: 'print', of: this.#pipeline(tokens, text) }
  }

  #branch(kind: 'if' | 'with' | 'range', text: string): Node {
    let tokens = tokenizeAction(text)
    const names: string[] = []
    const sign = tokens.findIndex(token => token.kind === 'sign' && token.text === ':=')
    if (sign > 0) {
      for (const token of tokens.slice(0, sign)) if (token.kind !== 'sign') names.push(this.#variable(token))
      tokens = tokens.slice(sign + 1)
    }
    const of = this.#pipeline(tokens, `${kind}${text}`)
    const known = this.#known.length
    this.#known.push(...names)
    const then = this.#block()
    let otherwise: Node[] = []
    const elseIf = /^else\s+(if|with)\b(.*)$/s.exec(this.#ends)
    if (elseIf !== null) otherwise = [this.#branch(elseIf[1] as 'if', elseIf[2]!)]
    else if (this.#ends === 'else') otherwise = this.#block()
    if (elseIf === null && this.#ends !== 'end') throw new Error(`{{ ${kind}${text} }} has no {{ end }}`)
    this.#known.length = known
    this.#ends = elseIf === null ? '' : this.#ends
    return { kind, of, names, then, otherwise }
  }

  #variable(token: Token): string {
    if (token.kind === 'path' && /^\$\w+$/.test(token.head) && token.fields.length === 0) return token.head
    throw new Error('a variable is written as $name')
  }

  #requireKnown(name: string): void {
    if (this.#known.includes(name)) return
    throw new Error(`undefined variable ${name}${didYouMean(name, this.#known)}`)
  }

  #pipeline(tokens: readonly Token[], text: string): Expression {
    const cursor = { at: 0 }
    const found = this.#commands(tokens, cursor, text)
    if (cursor.at < tokens.length) throw new Error(`unexpected words in {{ ${text} }}`)
    return found
  }

  #commands(tokens: readonly Token[], cursor: { at: number }, text: string): Expression {
    let piped: Expression | undefined
    for (;;) {
      piped = this.#command(tokens, cursor, text, piped)
      const next = tokens[cursor.at]
      if (next?.kind !== 'sign' || next.text !== '|') return piped
      cursor.at++
    }
  }

  #command(tokens: readonly Token[], cursor: { at: number }, text: string, piped?: Expression): Expression {
    const first = tokens[cursor.at]
    const operands: Expression[] = []
    const isCall = first?.kind === 'word' && !(first.text in constants)
    if (isCall) cursor.at++
    for (let token = tokens[cursor.at]; token !== undefined; token = tokens[cursor.at]) {
      if (token.kind === 'sign' && token.text !== '(') break
      operands.push(this.#operand(tokens, cursor, text))
    }
    if (isCall) {
      if (!(first.text in functions))
        throw new Error(`unknown function ${first.text}${didYouMean(first.text, Object.keys(functions))}`)
      const args = piped === undefined ? operands : [...operands, piped]
      const { min, max } = functions[first.text]!
      if (args.length < min || args.length > max)
        throw new Error(`${first.text} takes ${min === max ? min : `at least ${min}`} arguments, got ${args.length}`)
      return { kind: 'call', name: first.text, args }
    }
    if (operands.length === 1 && piped === undefined) return operands[0]!
    throw new Error(
      operands.length === 0
        ? `a value is missing in {{ ${text} }}`
        : `what is called in {{ ${text} }} is not a function`
    )
  }

  #operand(tokens: readonly Token[], cursor: { at: number }, text: string): Expression {
    const token = tokens[cursor.at++]!
    if (token.kind === 'value') return token
    if (token.kind === 'path') {
      if (token.head !== '.') this.#requireKnown(token.head)
      return token
    }
    if (token.kind === 'word') {
      if (token.text in constants) return { kind: 'value', value: constants[token.text] }
      if (token.text in functions) return { kind: 'call', name: token.text, args: [] }
      throw new Error(`unknown function ${token.text}${didYouMean(token.text, Object.keys(functions))}`)
    }
    const inner = this.#commands(tokens, cursor, text)
    const close = tokens[cursor.at++]
    if (close?.kind !== 'sign' || close.text !== ')') throw new Error(`a bracket does not close in {{ ${text} }}`)
    return inner
  }
}

const constants: Readonly<Record<string, Value>> = { true: true, false: false, nil: undefined }

interface State {
  readonly scope: Map<string, Value>
  readonly dot: Value
  readonly answers: ReadonlyMap<string, Value>
  readonly patterns: TemplatePatterns
  /** What is left of both. */
  readonly steps: { left: number; text: number }
}

function run(nodes: readonly Node[], state: State): string {
  let text = ''
  for (const node of nodes) {
    if (state.steps.left-- <= 0) throw new Error(`a template takes at most ${maxSteps} steps`)
    if (node.kind === 'text') text += counted(node.text, state)
    else if (node.kind === 'print') text += counted(printValue(evaluate(node.of, state)), state)
    else if (node.kind === 'set') state.scope.set(node.name, evaluate(node.of, state))
    else text += runBranch(node, state)
  }
  return text
}

function counted(text: string, { steps }: State): string {
  steps.text -= text.length
  if (steps.text < 0) throw tooLong()
  return text
}

function tooLong(): Error {
  return new Error(`a template makes at most ${maxText} characters`)
}

function runBranch(node: Extract<Node, { kind: 'if' | 'with' | 'range' }>, state: State): string {
  const value = evaluate(node.of, state)
  const inner = (dot: Value, named: readonly Value[]): string => {
    const scope = new Map(state.scope)
    for (const [i, name] of node.names.entries()) scope.set(name, named[named.length - node.names.length + i])
    const text = run(node.then, { ...state, scope, dot })
    for (const name of state.scope.keys()) if (!node.names.includes(name)) state.scope.set(name, scope.get(name))
    return text
  }
  if (node.kind === 'range') {
    const entries = Array.isArray(value) ? [...value.entries()] : Object.entries((value ?? {}) as object)
    if (entries.length === 0) return run(node.otherwise, { ...state, scope: new Map(state.scope) })
    return entries.map(([key, element]) => inner(element as Value, [key, element as Value])).join('')
  }
  if (isTrue(value)) return inner(node.kind === 'with' ? value : state.dot, [value])
  return run(node.otherwise, { ...state, scope: new Map(state.scope) })
}

function evaluate(expression: Expression, state: State): Value {
  if (expression.kind === 'value') return expression.value
  if (expression.kind === 'call') {
    const args = expression.args.map(argument => evaluate(argument, state))
    const result = functions[expression.name]!.call(args, state.patterns.compile)
    if (typeof result === 'string' && result.length > maxText) throw tooLong()
    if (expression.name !== 'query') return result
    const text = result as string
    if (!state.answers.has(text)) throw new Unanswered(text)
    return state.answers.get(text)
  }
  const { head, fields } = expression
  let value = head === '.' ? state.dot : state.scope.get(head)
  for (const field of fields) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new Error(`${head === '.' ? '' : head}.${fields.join('.')}: ${printValue(value)} has no field ${field}`)
    const map = value as Readonly<Record<string, Value>>
    // A missing label is empty.
    value = Object.hasOwn(map, field) ? map[field] : ''
  }
  return value
}
