// Expressions of a query as SQL.
import { didYouMean, sqlTypeName } from '../../../core/index.ts'
import { type Scalar, shown, wrong } from '../document/node.ts'
import type { Call, Expression } from '../document/tree.ts'
import { compareSql, constantSql, numberSql, operand, type Writing } from './constant.ts'
import {
  type Argument,
  type ArgumentKind,
  aggregateFunctions,
  type ConstantKind,
  type FunctionDefinition,
  jsonPath,
  scalarFunctions,
  specialConstant,
  timedFunctions
} from './function.ts'
import { type Constant, isConstant, isNumber, kindOf, type Scope, textSql, type Value } from './value.ts'

/** How many values may be concatenated to one, because each may be as long as a line. */
const maxGrowth = 16

function compileExpression(writing: Writing, scope: Scope, expression: Expression): Value | Constant {
  const { path } = expression
  switch (expression.kind) {
    case 'column':
      return findColumn(scope, expression.name, path)
    case 'position': {
      const value = scope.positions[expression.index]
      if (value === undefined) throw wrong(path, `there are ${scope.positions.length} columns, counted from 0`)
      return value
    }
    case 'literal':
      return { constant: expression.value, path }
    case 'alias': {
      const value = compileValue(writing, scope, expression.expression)
      return { ...value, name: expression.alias }
    }
    case 'binary':
      return compileBinary(writing, scope, expression)
    case 'call':
      return compileCall(writing, scope, expression)
  }
}

/** A constant on its own has the type it is written in. */
export function compileValue(writing: Writing, scope: Scope, expression: Expression): Value {
  const value = compileExpression(writing, scope, expression)
  return isConstant(value) ? constantValue(writing, value) : value
}

export function findColumn({ columns }: Scope, name: string, path: string): Value {
  const found = columns.find(column => column.name === name)
  if (found !== undefined) return found
  const names = columns.map(column => column.name)
  throw wrong(path, `no column ${shown(name)}${didYouMean(name, names)}`)
}

function constantValue(writing: Writing, { constant }: Constant): Value {
  const { parameters, dialect } = writing
  const name = typeof constant === 'string' ? JSON.stringify(constant) : String(constant)
  const type =
    typeof constant === 'string'
      ? 'String'
      : typeof constant === 'boolean'
        ? 'Boolean'
        : typeof constant === 'bigint'
          ? 'Int64'
          : 'Float64'
  const sql = typeof constant === 'bigint' ? numberSql(writing, constant, '') : parameters.add(constant)
  // The engine needs the type before the parameter's value.
  const cast = type === 'Int64' ? sql : dialect.cast(sql, type)
  return { sql: cast, type, kind: kindOf(type), name, growth: 0 }
}

const comparisons = { Eq: '=', Ne: '<>', Lt: '<', Le: '<=', Gt: '>', Ge: '>=' } as const
const mirrored = { '=': '=', '<>': '<>', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const
const arithmetic = { Plus: '+', Minus: '-', Multiply: '*', Divide: '/', Modulo: '%' } as const

function compileBinary(writing: Writing, scope: Scope, expression: Extract<Expression, { kind: 'binary' }>): Value {
  const { op, path } = expression
  const left = compileExpression(writing, scope, expression.left)
  const right = compileExpression(writing, scope, expression.right)
  const [a, b] = [nameOf(left), nameOf(right)]
  if (op === 'And' || op === 'Or') {
    const sides = [booleanSide(writing, left, expression.left.path), booleanSide(writing, right, expression.right.path)]
    return booleanValue(`(${sides.join(` ${op.toUpperCase()} `)})`, `${a} ${op} ${b}`)
  }
  if (op in comparisons) {
    const sign = comparisons[op as keyof typeof comparisons]
    return booleanValue(compareBoth(writing, left, sign, right, path), `${a} ${sign} ${b}`)
  }
  return calculate(writing, op as keyof typeof arithmetic, left, right, expression)
}

function compareBoth(
  writing: Writing,
  left: Value | Constant,
  op: (typeof comparisons)[keyof typeof comparisons],
  right: Value | Constant,
  path: string
): string {
  if (isConstant(right)) {
    const value = isConstant(left) ? constantValue(writing, left) : left
    return compareSql(writing, value, op, right.constant, right.path)
  }
  if (isConstant(left)) return compareSql(writing, right, mirrored[op], left.constant, left.path)
  const alike = left.kind === right.kind || (isNumber(left) && isNumber(right)) || bothTexts(left, right)
  if (!alike || left.kind === 'binary') {
    throw wrong(path, `${left.name} is ${left.type} and ${right.name} is ${right.type}: they cannot be compared`)
  }
  return `(${operand(writing, left)} ${op} ${operand(writing, right)})`
}

function bothTexts(left: Value, right: Value): boolean {
  return [left, right].every(({ kind }) => kind === 'text' || kind === 'json')
}

/** Results beyond 64 bits are null. */
function calculate(
  writing: Writing,
  op: keyof typeof arithmetic,
  left: Value | Constant,
  right: Value | Constant,
  { left: { path: leftPath }, right: { path: rightPath } }: { readonly left: Expression; readonly right: Expression }
): Value {
  const a = numberSide(writing, left, leftPath)
  const b = numberSide(writing, right, rightPath)
  const whole = a.whole && b.whole
  const type = whole ? 'Int64' : 'Float64'
  const name = `${nameOf(left)} ${arithmetic[op]} ${nameOf(right)}`
  return {
    sql: writing.dialect.calculate(a.sql, arithmetic[op], b.sql, whole),
    type,
    kind: kindOf(type),
    name,
    growth: 0
  }
}

function numberSide(writing: Writing, side: Value | Constant, path: string) {
  if (isConstant(side)) {
    const sql = numberSql(writing, side.constant, path)
    return { sql, whole: typeof side.constant === 'bigint' || /^\s*[+-]?\d+\s*$/.test(String(side.constant)) }
  }
  if (isNumber(side)) return { sql: side.sql, whole: side.kind === 'integer' }
  throw wrong(path, `expected a number, ${side.name} is ${side.type}`)
}

function booleanSide(writing: Writing, side: Value | Constant, path: string): string {
  const value = isConstant(side) ? constantValue(writing, side) : side
  if (value.kind !== 'boolean') throw wrong(path, `expected true or false, ${value.name} is ${value.type}`)
  return value.sql
}

function booleanValue(sql: string, name: string): Value {
  return { sql, type: 'Boolean', kind: 'boolean', name, growth: 0 }
}

function compileCall(writing: Writing, scope: Scope, call: Call): Value {
  const definition = Object.hasOwn(scalarFunctions, call.name) ? scalarFunctions[call.name]! : undefined
  if (definition === undefined) {
    const isAggregate = Object.hasOwn(aggregateFunctions, call.name) || Object.hasOwn(timedFunctions, call.name)
    const reason = isAggregate
      ? 'it stands only in AggrFunc'
      : `the functions are ${Object.keys(scalarFunctions).join(', ')}`
    const near = isAggregate ? '' : didYouMean(call.name, Object.keys(scalarFunctions))
    throw wrong(`${call.path}.name`, `unknown function ${shown(call.name)}${near}: ${reason}`)
  }
  return compileWith(writing, scope, call, definition)
}

/** An aggregate function. */
export function compileAggregate(writing: Writing, scope: Scope, call: Call): Value {
  const { name, path } = call
  if (Object.hasOwn(timedFunctions, name)) {
    const { time } = scope
    if (time === undefined) throw wrong(path, `${name} needs the time of rows, which the steps before left out`)
    const sql = ([value]: readonly string[]) => writing.dialect[timedFunctions[name]!](value!, time.sql)
    return compileWith(writing, scope, call, { args: ['any'], type: args => args[0]!.value!.type, sql })
  }
  const names = [...Object.keys(aggregateFunctions), ...Object.keys(timedFunctions)]
  if (!Object.hasOwn(aggregateFunctions, name)) {
    throw wrong(
      `${path}.name`,
      `unknown aggregate ${shown(name)}${didYouMean(name, names)}, expected one of ${names.join(', ')}`
    )
  }
  return compileWith(writing, scope, withoutStar(call), aggregateFunctions[name]!)
}

/** `count(*)` means `count()`. */
function withoutStar(call: Call): Call {
  const [only, more] = call.args
  const isStar = only?.kind === 'column' && only.name === '*' && more === undefined
  return call.name === 'count' && isStar ? { ...call, args: [] } : call
}

function compileWith(writing: Writing, scope: Scope, call: Call, definition: FunctionDefinition): Value {
  const { args: kinds, optional = 0, variadic } = definition
  const { args, name, path, alias } = call
  if (args.length < kinds.length - optional || (args.length > kinds.length && variadic === undefined)) {
    const min = kinds.length - optional
    const max = variadic ? ' or more' : optional > 0 ? ` to ${kinds.length}` : ''
    throw wrong(path, `${name} takes ${min}${max} arguments, found ${args.length}`)
  }
  const values = args.map(each => compileExpression(writing, scope, each))
  const model = values.find((value): value is Value => !isConstant(value))
  const compiled = values.map((value, i) =>
    argument(writing, value, kinds[Math.min(i, kinds.length - 1)]!, args[i]!.path, model)
  )
  const growths = compiled.map(({ value }) => value?.growth ?? 0)
  const growth = definition.joins ? growths.reduce((sum, each) => sum + each, 0) : Math.max(0, ...growths)
  if (growth > maxGrowth) throw wrong(path, `${name} would join more than ${maxGrowth} columns into one text`)
  const type = typeof definition.type === 'string' ? definition.type : definition.type(compiled)
  const sql = definition.sql(
    compiled.map(each => each.sql),
    {
      dialect: writing.dialect,
      types: compiled.map(each => each.value?.type ?? 'String'),
      constant: text => writing.parameters.add(text)
    }
  )
  return { sql, type, kind: kindOf(type), name: alias ?? `${name}(${values.map(nameOf).join(', ')})`, growth }
}

function argument(
  writing: Writing,
  value: Value | Constant,
  kind: ArgumentKind,
  path: string,
  model: Value | undefined
): Argument {
  const { parameters, dialect } = writing
  switch (kind) {
    case 'pattern':
    case 'path':
    case 'unit':
    case 'duration':
    case 'fraction':
      if (!isConstant(value)) throw wrong(path, `expected a constant, found the column ${value.name}`)
      return { sql: constantOf(writing, kind, value.constant, path) }
    case 'text':
      if (isConstant(value)) return { sql: dialect.cast(parameters.add(String(value.constant)), 'String') }
      return { sql: textSql(writing, value, path), value }
    case 'number':
    case 'integer':
      return numberArgument(writing, value, kind, path)
    case 'time':
      if (isConstant(value) || value.kind !== 'time') throw wrong(path, `expected a column of times`)
      return { sql: value.sql, value }
    case 'any':
    case 'same':
      break
  }
  if (!isConstant(value)) return sameKind(value, kind === 'same' ? model : undefined, path)
  if (kind === 'same' && model !== undefined) return { sql: constantSql(writing, model, value.constant, path) }
  const typed = constantValue(writing, value)
  return { sql: typed.sql, value: typed }
}

/** A fraction cannot be a parameter, because the engine needs it for planning. */
function constantOf(
  { parameters, dialect, regexes }: Writing,
  kind: ConstantKind,
  constant: Scalar,
  path: string
): string {
  if (kind === 'path') return JSON.stringify(jsonPath(constant, path))
  const special = specialConstant(regexes, kind, constant, path)
  if (typeof special === 'number') return special.toFixed(9)
  return parameters.add(kind === 'pattern' ? dialect.pattern(String(special)) : special)
}

function sameKind(value: Value, model: Value | undefined, path: string): Argument {
  if (model !== undefined && value.kind !== model.kind && !(isNumber(value) && isNumber(model))) {
    throw wrong(path, `expected ${sqlTypeName(model.type)} as ${model.name} is, ${value.name} is ${value.type}`)
  }
  return { sql: value.sql, value }
}

function numberArgument(writing: Writing, value: Value | Constant, kind: 'number' | 'integer', path: string): Argument {
  const wanted = kind === 'integer' ? 'a whole number' : 'a number'
  if (isConstant(value)) {
    const whole = /^\s*[+-]?\d{1,9}\s*$/.test(String(value.constant))
    if (kind === 'integer' && !whole) throw wrong(path, `expected ${wanted}, found ${shown(String(value.constant))}`)
    return { sql: numberSql(writing, value.constant, path) }
  }
  if (!isNumber(value) || (kind === 'integer' && value.kind !== 'integer')) {
    throw wrong(path, `expected ${wanted}, ${value.name} is ${value.type}`)
  }
  return { sql: value.sql, value }
}

function nameOf(value: Value | Constant): string {
  if (!isConstant(value)) return value.name
  return typeof value.constant === 'string' ? JSON.stringify(value.constant) : String(value.constant)
}
