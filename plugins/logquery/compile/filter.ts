// Filters of a query as SQL conditions.
import { parseSearch, readingOf, searchSql, termSql } from '../../../core/index.ts'
import { atPath, wrong } from '../document/node.ts'
import type { ContentFilter, Filter } from '../document/tree.ts'
import { compareSql, constantSql, operand, timeInSql, type Writing } from './constant.ts'
import { compileValue } from './expression.ts'
import { patternOf } from './pattern.ts'
import { type Scope, textSql, type Value } from './value.ts'

/** An empty list of conditions is always true. */
export function filterSql(writing: Writing, scope: Scope, filter: Filter): string {
  switch (filter.kind) {
    case 'not':
      return `(NOT ${filterSql(writing, scope, filter.of)})`
    case 'and':
    case 'or':
      return joined(
        filter.kind,
        filter.of.map(each => filterSql(writing, scope, each))
      )
    case 'single': {
      const value = compileValue(writing, scope, filter.expression)
      if (filter.contents.length > 0) {
        return joined(
          'and',
          filter.contents.map(each => contentSql(writing, value, each))
        )
      }
      if (value.kind === 'boolean') return value.sql
      throw wrong(filter.path, `without filters the expression must be true or false, ${value.name} is ${value.type}`)
    }
  }
}

function joined(op: 'and' | 'or', parts: readonly string[]): string {
  return parts.length === 0 ? 'true' : `(${parts.join(op === 'and' ? ' AND ' : ' OR ')})`
}

function contentSql(writing: Writing, value: Value, filter: ContentFilter): string {
  const { path } = filter
  switch (filter.kind) {
    case 'exist':
      return `(${value.sql} IS NOT NULL)`
    case 'true':
    case 'false':
      if (value.kind !== 'boolean') throw wrong(path, `${value.name} is ${value.type}, not Boolean`)
      return filter.kind === 'true' ? writing.dialect.isTrue(value.sql) : writing.dialect.isFalse(value.sql)
    case 'compare':
      return compareSql(writing, value, filter.op, filter.value, path)
    case 'in':
      return inSql(writing, value, filter)
    case 'between':
      return joined(
        'and',
        filter.of.map(each => contentSql(writing, value, each))
      )
    case 'compound':
      return joined(
        filter.op,
        filter.of.map(each => contentSql(writing, value, each))
      )
  }
  return textTest(writing, value, filter)
}

function inSql(writing: Writing, value: Value, { values, path }: Extract<ContentFilter, { kind: 'in' }>): string {
  if (values.length === 0) return 'false'
  const located = values.map((each, i) => [each, `${path}[${i}]`] as const)
  if (value.kind === 'time') return timeInSql(writing, value, located)
  return `(${operand(writing, value)} IN (${located.map(([each, itsPath]) => constantSql(writing, value, each, itsPath)).join(', ')}))`
}

const plainTests = { prefix: 'startsWith', postfix: 'endsWith', contains: 'contains' } as const

function textTest(writing: Writing, value: Value, filter: Extract<ContentFilter, { readonly text: string }>): string {
  const { kind, text, path } = filter
  const { parameters, dialect, regexes } = writing
  const sql = textSql(writing, value, path)
  const constant = (part: string) => parameters.add(part)
  switch (kind) {
    case 'regex':
      return dialect.matches(sql, constant(dialect.pattern(patternOf(regexes, text, path))))
    case 'matches':
      return searchSql(
        atPath(path, () => parseSearch(text)),
        sql,
        readingOf(indexed(value)),
        constant,
        dialect
      )
    case 'matches_term':
      return termSql(text, sql, readingOf(indexed(value)), constant, dialect)
  }
  return dialect[plainTests[kind]](sql, constant(text))
}

function indexed({ column }: Value) {
  return column === undefined ? [] : [column]
}
