// Parses and checks a rule file; reports all problems with their lines.
import { LineCounter, type Node, parseDocument } from 'yaml'
import { needsPlugin } from '../../../core/index.ts'
import { reasonOf } from '../reason.ts'
import { parseTemplate, type Template } from '../template/template.ts'
import { parseDuration } from './duration.ts'
import { Reader } from './reader.ts'
import type { AlertRule, Rule, RuleGroup, RuleQuery } from './rule.ts'

export interface ParseOptions {
  /** Default interval of groups, in milliseconds. */
  readonly interval: number
  /** Default database of groups. */
  readonly db: string
  /** Throws for an invalid expression; absent if the plugin promql is off. */
  readonly checkExpression?: ((text: string) => void) | undefined
  /** Whether SQL queries can be run. */
  readonly sql: boolean
  /** Whether recorded series can be stored. */
  readonly records: boolean
}

interface ParsedFile {
  readonly groups: readonly RuleGroup[]
  readonly problems: readonly string[]
}

const groupKeys = ['name', 'interval', 'query_offset', 'limit', 'labels', 'rules', 'db']
const ruleKeys = ['record', 'alert', 'expr', 'sql', 'for', 'keep_firing_for', 'labels', 'annotations']

export function parseRuleFile(file: string, text: string, options: ParseOptions): ParsedFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.1', merge: false })
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ message, pos }) => `${file}:${lines.linePos(pos[0]).line}: ${message}`)
    return { groups: [], problems }
  }
  const reader = new Reader(file, document, lines)
  const groups: RuleGroup[] = []
  const root = document.contents as Node | null
  if (root === null) return { groups, problems: [] }
  const groupNodes = reader.map(root, '', ['groups'])?.get('groups')
  for (const node of groupNodes === undefined ? [] : reader.list(groupNodes, 'groups')) {
    const group = readGroup(reader, file, node, options)
    if (group === undefined) continue
    if (groups.some(({ name }) => name === group.name)) {
      reader.problem(node, `group ${JSON.stringify(group.name)}`, 'is in this file already')
    } else groups.push(group)
  }
  return { groups, problems: reader.problems }
}

function readGroup(reader: Reader, file: string, node: Node, options: ParseOptions): RuleGroup | undefined {
  const members = reader.map(node, 'group', groupKeys)
  if (members === undefined) return undefined
  const name = reader.text(members.get('name'), 'group, name') ?? ''
  if (name === '') {
    reader.problem(node, 'group', 'it needs a name')
    return undefined
  }
  const where = `group ${JSON.stringify(name)}`
  const interval = readDuration(reader, members.get('interval'), `${where}, interval`) ?? options.interval
  if (interval <= 0) reader.problem(members.get('interval'), `${where}, interval`, 'expected a duration above 0')
  const limitText = reader.text(members.get('limit'), `${where}, limit`) ?? '0'
  if (!/^\d{1,15}$/.test(limitText)) {
    reader.problem(members.get('limit'), `${where}, limit`, `expected a number from 0 on, got ${limitText}`)
  }
  const shared = reader.texts(members.get('labels'), `${where}, labels`)
  const ruleNodes = members.get('rules')
  const rules = (ruleNodes === undefined ? [] : reader.list(ruleNodes, `${where}, rules`)).map((rule, i) =>
    readRule(reader, rule, `${where}, rule ${i + 1}`, shared, options)
  )
  return {
    ...{ file, name, interval },
    db: reader.text(members.get('db'), `${where}, db`) ?? options.db,
    queryOffset: readDuration(reader, members.get('query_offset'), `${where}, query_offset`) ?? 0,
    limit: Number(limitText),
    rules: rules.filter(rule => rule !== undefined)
  }
}

type Texts = ReturnType<Reader['texts']>

function readRule(reader: Reader, node: Node, at: string, shared: Texts, options: ParseOptions): Rule | undefined {
  const members = reader.map(node, at, ruleKeys)
  if (members === undefined) return undefined
  const [record, alert] = (['record', 'alert'] as const).map(key => reader.text(members.get(key), `${at}, ${key}`))
  const name = record ?? alert ?? ''
  if ((record === undefined) === (alert === undefined) || name === '') {
    reader.problem(node, at, 'expected either record or alert with a name')
    return undefined
  }
  const where = `${at} (${name})`
  const before = reader.problems.length
  const query = readQuery(reader, node, members, where, options)
  const labels = new Map([...shared, ...reader.texts(members.get('labels'), `${where}, labels`)])
  for (const [label, { node }] of labels) checkLabel(reader, node, `${where}, labels`, label)
  const annotations = reader.texts(members.get('annotations'), `${where}, annotations`)
  const base = { name, labels: plain(labels), location: `${reader.location(node)}: ${where}` }
  if (record !== undefined) {
    for (const key of ['for', 'keep_firing_for', 'annotations']) {
      if (members.has(key)) reader.problem(members.get(key), where, `a recording rule has no ${key}`)
    }
    if (!options.records) reader.problem(node, where, needsPlugin('a recording rule', 'metricsys'))
    if (query === undefined || reader.problems.length > before) return undefined
    return { ...base, kind: 'record', query }
  }
  const holdFor = readDuration(reader, members.get('for'), `${where}, for`) ?? 0
  const keepFiringFor = readDuration(reader, members.get('keep_firing_for'), `${where}, keep_firing_for`) ?? 0
  const templates: AlertRule['templates'] = {
    labels: readTemplates(reader, labels, `${where}, labels`),
    annotations: readTemplates(reader, annotations, `${where}, annotations`)
  }
  if (query === undefined || reader.problems.length > before) return undefined
  return { ...base, kind: 'alert', query, holdFor, keepFiringFor, annotations: plain(annotations), templates }
}

function readQuery(
  reader: Reader,
  node: Node,
  members: ReadonlyMap<string, Node>,
  where: string,
  options: ParseOptions
): RuleQuery | undefined {
  const [expr, sql] = (['expr', 'sql'] as const).map(key => reader.text(members.get(key), `${where}, ${key}`)?.trim())
  if ((expr === undefined) === (sql === undefined) || expr === '' || sql === '') {
    reader.problem(node, where, 'expected either expr, an expression of PromQL, or sql, a statement')
    return undefined
  }
  if (sql !== undefined) {
    if (!options.sql) reader.problem(members.get('sql'), where, needsPlugin('a rule with sql', 'sql'))
    return { kind: 'sql', text: sql }
  }
  if (options.checkExpression === undefined) {
    reader.problem(members.get('expr'), where, needsPlugin('a rule with expr', 'promql'))
    return undefined
  }
  try {
    options.checkExpression(expr!)
  } catch (error) {
    reader.problem(members.get('expr'), `${where}, expr`, reasonOf(error))
  }
  return { kind: 'promql', text: expr! }
}

function readDuration(reader: Reader, node: Node | undefined, where: string): number | undefined {
  const text = reader.text(node, where)
  if (text === undefined) return undefined
  const milliseconds = parseDuration(text)
  if (milliseconds === undefined) reader.problem(node, where, `expected a duration such as 5m or 1h30m, got ${text}`)
  return milliseconds
}

function checkLabel(reader: Reader, node: Node, where: string, name: string): void {
  if (name === '__name__' || name === '' || !name.isWellFormed()) {
    reader.problem(node, where, `${JSON.stringify(name)} cannot be the name of a label`)
  }
}

function readTemplates(reader: Reader, texts: Texts, where: string): (readonly [string, Template])[] {
  return Array.from(texts).flatMap(([name, { text, node }]) => {
    try {
      return [[name, parseTemplate(text)] as const]
    } catch (error) {
      reader.problem(node, `${where} ${name}`, reasonOf(error))
      return []
    }
  })
}

function plain(texts: Texts): Record<string, string> {
  const sorted = [...texts].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([name, { text }]) => [name, text]))
}
