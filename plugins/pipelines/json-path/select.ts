// Evaluates a JSONPath over the values of items.
import { compareUtf8, type ItemValue, Timestamp } from '../../../core/compute.ts'
import type { Comparison, Operand, Query, Segment, Selector, Test } from './path.ts'

interface Search {
  readonly root: ItemValue
  readonly max: number
  visits: number
}

/** The selected values in order; undefined when the path had to look at more than `max`: descending steps in a row multiply. */
export function selectPath(segments: readonly Segment[], root: ItemValue, max: number): ItemValue[] | undefined {
  const search: Search = { root, max, visits: 0 }
  const selected = follow(segments, root, search)
  return search.visits > max ? undefined : selected
}

function follow(segments: readonly Segment[], from: ItemValue, search: Search): ItemValue[] {
  let values: ItemValue[] = [from]
  for (const { descends, selectors } of segments) {
    const next: ItemValue[] = []
    for (const value of values) {
      if (descends) descend(value, selectors, next, search)
      else select(value, selectors, next, search)
      if (search.visits > search.max) return []
    }
    values = next
  }
  return values
}

function descend(value: ItemValue, selectors: readonly Selector[], into: ItemValue[], search: Search): void {
  if (search.visits > search.max) return
  select(value, selectors, into, search)
  for (const child of children(value)) descend(child, selectors, into, search)
}

function select(value: ItemValue, selectors: readonly Selector[], into: ItemValue[], search: Search): void {
  for (const selector of selectors) {
    for (const found of selectOne(value, selector, search)) {
      search.visits++
      into.push(found)
    }
    search.visits++
  }
}

function selectOne(value: ItemValue, selector: Selector, search: Search): readonly ItemValue[] {
  switch (selector.kind) {
    case 'name':
      return isObject(value) && Object.hasOwn(value, selector.name) ? [value[selector.name]!] : []
    case 'every':
      return children(value)
    case 'index': {
      if (!Array.isArray(value)) return []
      const at = selector.index < 0 ? value.length + selector.index : selector.index
      return at >= 0 && at < value.length ? [value[at]!] : []
    }
    case 'slice':
      return Array.isArray(value) ? slice(value, selector.start, selector.end, selector.step) : []
    case 'filter':
      return children(value).filter(child => {
        search.visits++
        return search.visits <= search.max && passes(selector.test, child, search)
      })
  }
}

function slice(values: readonly ItemValue[], start: number | undefined, end: number | undefined, step: number) {
  const { length } = values
  const found: ItemValue[] = []
  const absolute = (at: number) => (at < 0 ? length + at : at)
  const within = (at: number, min: number, max: number) => Math.min(Math.max(at, min), max)
  if (step > 0) {
    const from = within(absolute(start ?? 0), 0, length)
    const to = within(absolute(end ?? length), 0, length)
    for (let i = from; i < to; i += step) found.push(values[i]!)
  } else if (step < 0) {
    const from = within(start === undefined ? length - 1 : absolute(start), -1, length - 1)
    const to = within(end === undefined ? -1 : absolute(end), -1, length - 1)
    for (let i = from; i > to; i += step) found.push(values[i]!)
  }
  return found
}

function passes(test: Test, value: ItemValue, search: Search): boolean {
  switch (test.kind) {
    case 'any':
      return test.tests.some(one => passes(one, value, search))
    case 'all':
      return test.tests.every(one => passes(one, value, search))
    case 'not':
      return !passes(test.test, value, search)
    case 'exists':
      return run(test.query, value, search).length > 0
    case 'matches': {
      const text = evaluate(test.operand, value, search)
      return typeof text === 'string' && test.regex.test(text)
    }
    case 'compare':
      return compare(test.by, evaluate(test.left, value, search), evaluate(test.right, value, search))
  }
}

function run(query: Query, value: ItemValue, search: Search): ItemValue[] {
  return follow(query.segments, query.absolute ? search.root : value, search)
}

/** Undefined: nothing. */
function evaluate(operand: Operand, value: ItemValue, search: Search): ItemValue | undefined {
  switch (operand.kind) {
    case 'literal':
      return operand.value
    case 'query':
      return run(operand, value, search)[0]
    case 'count':
      return BigInt(run(operand.query, value, search).length)
    case 'value': {
      const values = run(operand.query, value, search)
      return values.length === 1 ? values[0] : undefined
    }
    case 'length': {
      const measured = evaluate(operand.operand, value, search)
      if (typeof measured === 'string') return BigInt([...measured].length)
      if (Array.isArray(measured)) return BigInt(measured.length)
      return isObject(measured) ? BigInt(Object.keys(measured).length) : undefined
    }
  }
}

function compare(by: Comparison, left: ItemValue | undefined, right: ItemValue | undefined): boolean {
  switch (by) {
    case '==':
      return equal(left, right)
    case '!=':
      return !equal(left, right)
    case '<':
      return less(left, right)
    case '<=':
      return less(left, right) || equal(left, right)
    case '>':
      return less(right, left)
    case '>=':
      return less(right, left) || equal(left, right)
  }
}

function equal(left: ItemValue | undefined, right: ItemValue | undefined): boolean {
  if (isNumber(left) && isNumber(right)) return !(left < right || left > right)
  if (left instanceof Timestamp) return right instanceof Timestamp && left.ns === right.ns
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length && left.every((value, i) => equal(value, right[i]))
  }
  if (!isObject(left)) return left === right
  const keys = Object.keys(left)
  if (!isObject(right) || Object.keys(right).length !== keys.length) return false
  return keys.every(key => Object.hasOwn(right, key) && equal(left[key], right[key]))
}

function less(left: ItemValue | undefined, right: ItemValue | undefined): boolean {
  if (isNumber(left) && isNumber(right)) return left < right
  if (typeof left === 'string' && typeof right === 'string') return compareUtf8(left, right) < 0
  return left instanceof Timestamp && right instanceof Timestamp && left.ns < right.ns
}

function isNumber(value: ItemValue | undefined): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function isObject(value: ItemValue | undefined): value is { [key: string]: ItemValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Timestamp)
}

/** Elements in order, members by their keys. */
function children(value: ItemValue): readonly ItemValue[] {
  if (Array.isArray(value)) return value
  if (!isObject(value)) return []
  return Object.keys(value)
    .sort(compareUtf8)
    .map(key => value[key]!)
}
