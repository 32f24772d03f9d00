// Reads a YAML document with line numbers; collects a problem for everything unexpected.
import { type Document, isAlias, isMap, isScalar, isSeq, type LineCounter, type Node } from 'yaml'
import { didYouMean } from '../../../core/index.ts'

/** Reads nodes and collects problems. */
export class Reader {
  readonly problems: string[] = []
  readonly #file: string
  readonly #document: Document
  readonly #lines: LineCounter

  constructor(file: string, document: Document, lines: LineCounter) {
    this.#file = file
    this.#document = document
    this.#lines = lines
  }

  location(node: Node | undefined): string {
    const offset = node?.range?.[0]
    return offset === undefined ? this.#file : `${this.#file}:${this.#lines.linePos(offset).line}`
  }

  problem(node: Node | undefined, where: string, message: string): void {
    this.problems.push(`${this.location(node)}: ${where === '' ? '' : `${where}: `}${message}`)
  }

  /** Members by key; undefined, with a problem, if it is not a map. Keys not in `known` are problems. */
  map(node: Node | undefined, where: string, known?: readonly string[]): Map<string, Node> | undefined {
    const found = this.#resolve(node)
    if (!isMap(found)) {
      this.problem(node, where, 'expected a map')
      return undefined
    }
    const members = new Map<string, Node>()
    for (const { key, value } of found.items) {
      const name = String(isScalar(key) ? key.value : key)
      if (known !== undefined && !known.includes(name)) {
        this.problem(key as Node, where, `unknown key ${name}${didYouMean(name, known)}`)
      } else if (value !== null && !(isScalar(value) && value.value === null)) members.set(name, value as Node)
    }
    return members
  }

  list(node: Node | undefined, where: string): readonly Node[] {
    const found = this.#resolve(node)
    if (isSeq(found)) return found.items as Node[]
    this.problem(node, where, 'expected a list')
    return []
  }

  /** The text of a scalar. */
  text(node: Node | undefined, where: string): string | undefined {
    if (node === undefined) return undefined
    const found = this.#resolve(node)
    if (isScalar(found)) return typeof found.value === 'string' ? found.value : (found.source ?? String(found.value))
    this.problem(node, where, 'expected a text')
    return undefined
  }

  /** Texts by name. */
  texts(node: Node | undefined, where: string): Map<string, { readonly text: string; readonly node: Node }> {
    const texts = new Map<string, { text: string; node: Node }>()
    for (const [name, value] of (node && this.map(node, where)) ?? []) {
      const text = this.text(value, `${where} ${name}`)
      if (text !== undefined) texts.set(name, { text, node: value })
    }
    return texts
  }

  #resolve(node: Node | undefined): Node | undefined {
    return isAlias(node) ? node.resolve(this.#document) : node
  }
}
