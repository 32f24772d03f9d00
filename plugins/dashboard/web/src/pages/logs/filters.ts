// Filters by column, as the address keeps them and as the server understands them.
import type { Condition, Test } from '../../api/logs.ts'
import { textOf, writeJson } from '../../cell.ts'
import { change, parameters } from '../../router.ts'
import { exactTime, isTime } from '../../time.ts'
import { memberPattern, wholePattern } from './json-pattern.ts'

export const operators = {
  is: 'is',
  not: 'is not',
  contains: 'contains',
  lacks: 'does not contain',
  has: 'has the member',
  hasnt: 'lacks the member',
  starts: 'starts with',
  ends: 'ends with',
  regex: 'matches the expression',
  unlike: 'does not match the expression',
  words: 'has the words',
  in: 'is one of',
  above: '>',
  from: '≥',
  below: '<',
  to: '≤',
  exists: 'has a value',
  missing: 'has no value'
} as const

export type Operator = keyof typeof operators

export interface Filter {
  readonly column: string
  readonly operator: Operator
  readonly value: string
}

/** The filter operators for a column's type. */
export function operatorsOf(type: string): readonly Operator[] {
  return byType[type] ?? ofNumbers
}

const ofAll: readonly Operator[] = ['is', 'not', 'exists', 'missing']
const ofTexts: readonly Operator[] = ['contains', 'lacks', 'regex', 'unlike']
const ofNumbers: readonly Operator[] = ['is', 'not', 'above', 'from', 'below', 'to', 'in', 'exists', 'missing']
const byType: Readonly<Record<string, readonly Operator[]>> = {
  Boolean: ofAll,
  Json: ['has', 'hasnt', ...ofTexts, ...ofAll],
  String: ['is', 'not', ...ofTexts, 'starts', 'ends', 'words', 'in', 'exists', 'missing']
}

export function needsValue(operator: Operator): boolean {
  return operator !== 'exists' && operator !== 'missing'
}

export function wordsOf({ column, operator, value }: Filter): string {
  const shown = value === '' ? '""' : value
  return `${column} ${operators[operator]}${needsValue(operator) ? ` ${shown}` : ''}`
}

export function conditionOf({ column, operator, value }: Filter, type: string | undefined): Condition {
  const test = (filter: Test): Condition => ({ Single: { expr: { NamedIdent: column }, filters: [filter] } })
  // In SQL `<>` is never true of NULL, but leaving a value out should keep lines without one.
  const not = (filter: Test): Condition => ({ Or: [{ Not: test(filter) }, { Not: test('Exist') }] })
  const same = type === 'Json' ? { Regex: wholePattern(value) } : { Exact: value }
  switch (operator) {
    case 'is':
      return test(same)
    case 'not':
      return not(same)
    case 'has':
      return test({ Regex: memberPattern(value) })
    case 'hasnt':
      return not({ Regex: memberPattern(value) })
    case 'contains':
      return test({ Contains: value })
    case 'lacks':
      return not({ Contains: value })
    case 'starts':
      return test({ Prefix: value })
    case 'ends':
      return test({ Postfix: value })
    case 'regex':
      return test({ Regex: value })
    case 'unlike':
      return not({ Regex: value })
    case 'words':
      return test({ Matches: value })
    case 'in':
      return test({ In: value.split(',').map(each => each.trim()) })
    case 'above':
    case 'from':
      return test({ GreatThan: { value, inclusive: operator === 'from' } })
    case 'below':
    case 'to':
      return test({ LessThan: { value, inclusive: operator === 'to' } })
    case 'exists':
      return test('Exist')
    case 'missing':
      return { Not: test('Exist') }
  }
}

/** The filters in the address; none where it cannot be parsed. */
export function readFilters(text = parameters.value.get('f') ?? '[]'): readonly Filter[] {
  try {
    const list = JSON.parse(text) as readonly (readonly [string, Operator, string?])[]
    return list
      .filter(([, operator]) => operator in operators)
      .map(([column, operator, value = '']) => ({ column, operator, value }))
  } catch {
    return []
  }
}

export function showFilters(filters: readonly Filter[]): void {
  const list = filters.map(({ column, operator, value }) => [
    column,
    operator,
    ...(needsValue(operator) ? [value] : [])
  ])
  change({ f: list.length === 0 ? undefined : JSON.stringify(list) })
}

export function addFilter(filter: Filter): void {
  const before = readFilters()
  if (!before.some(each => wordsOf(each) === wordsOf(filter))) showFilters([...before, filter])
}

/** The filter for lines with a value, or without it. */
export function filterFor(column: string, type: string, value: unknown, isOut = false): Filter {
  if (value === null || value === undefined) return { column, operator: isOut ? 'exists' : 'missing', value: '' }
  const text = isTime(type) ? exactTime(value, type) : type === 'Json' ? writeJson(value) : textOf(value)
  return { column, operator: isOut ? 'not' : 'is', value: text }
}
