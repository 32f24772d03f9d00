// What is known of values, by the values and calls they are made of.
import type { TimeUnit } from '../../../core/index.ts'
import { isEmpty } from '../grammar/tree.ts'
import type { Meaning, Value } from './scope.ts'

export type Time = Extract<Meaning, { readonly kind: 'time' }>

export const other = { kind: 'other' } as const
export const none = { kind: 'null' } as const

/** Calls whose value is one of their arguments, or of those of a group. */
export const sameAsArgument = new Set(
  `any_value arg_max arg_min argmax argmin coalesce first first_value greatest if ifnull lag last last_value lead least max max_by min min_by
   mode nth_value nullif quantile_disc`.split(/\s+/)
)
/** Calls that compare their arguments. */
export const comparing = new Set(['coalesce', 'greatest', 'if', 'ifnull', 'least', 'nullif'])
/** Calls that make a time of a time. */
export const timesOfTimes = new Set(
  `date_add date_bin date_bin_wallclock date_subtract date_trunc datetrunc last_day now time_bucket tostartofday tostartoffifteenminutes
   tostartoffiveminutes tostartofhour tostartofinterval tostartofminute tostartofsecond tostartoftenminutes`.split(
    /\s+/
  )
)

/** Calls that make a text. */
export const texts = new Set(
  `arrow_typeof btrim chr concat concat_ws date_format format group_concat initcap ipv4_num_to_string json_extract_string json_get_string lcase left listagg lower lpad ltrim md5
   monthname dayname pg_typeof printf quote_ident quote_literal quote_nullable regexp_extract regexp_replace regexp_substr repeat replace reverse right rpad rtrim split_part strftime string_agg substr
   substring to_char trim ucase upper`.split(/\s+/)
)
/** Calls that give a value with its time. */
export const selectors = new Set(['selector_first', 'selector_last', 'selector_max', 'selector_min'])
/** Calls that make a list of values like their first argument. */
export const lists = new Set(['array_agg', 'generate_series', 'list', 'list_value', 'range'])
/** Calls that make a time of a number or a text, with its unit. */
export const timesOfNumbers: Readonly<Record<string, TimeUnit>> = {
  from_unixtime: 'us',
  make_timestamp: 'us',
  make_timestamp_ms: 'us',
  make_timestamp_ns: 'ns',
  to_local_time: 'us',
  to_timestamp: 'us',
  to_timestamp_seconds: 's',
  to_timestamp_millis: 'ms',
  to_timestamp_micros: 'us',
  to_timestamp_nanos: 'ns'
}

/** The meaning of a query's column, from that of its expression. */
export function lasting(meaning: Meaning): Meaning {
  if (meaning?.kind === 'string') return { kind: 'text' }
  if (meaning?.kind === 'integer' || meaning?.kind === 'date') return other
  if (meaning?.kind !== 'tuple') return meaning
  const { of, names } = meaning
  return names && { kind: 'tuple', of: of.map(value => ({ tree: undefined, meaning: lasting(value.meaning) })), names }
}

export function isText(meaning: Meaning): boolean {
  return meaning?.kind === 'text' || meaning?.kind === 'string'
}

/** Whether it has to become a time where it meets one. */
export function isNoTime(meaning: Meaning): boolean {
  return meaning?.kind === 'text' || meaning?.kind === 'zoned'
}

/** The meaning of a value that is one of these; an unknown one may be anything. */
export function common(values: readonly Value[]): Meaning {
  const given = values.flatMap(({ tree, meaning }) => (isEmpty(tree) ? [] : [meaning]))
  const meanings = given.filter(meaning => meaning?.kind !== 'null')
  if (meanings.length === 0 && given.length > 0) return none
  const [first, ...more] = meanings.map(lasting)
  if (first?.kind === 'tuple' && more.every(other => JSON.stringify(other) === JSON.stringify(first))) return first
  return finest(meanings) ?? (meanings.length > 0 && meanings.every(isText) ? { kind: 'text' } : undefined)
}

const fineness = ['s', 'ms', 'us', 'ns'] as const

/** The engine's common type of times in several units: the finest; unknown if one of them is. */
export function finest(meanings: readonly Meaning[]): Time | undefined {
  const times = meanings.filter(meaning => meaning?.kind === 'time')
  const order = ({ unit }: Time) => (unit === undefined ? fineness.length : fineness.indexOf(unit))
  return times.toSorted((a, b) => order(b) - order(a))[0]
}

/** The meaning of a column that has these in the two queries of a set operation. */
export function united(one: Meaning, two: Meaning): Meaning {
  if (two?.kind === 'null' || JSON.stringify(one) === JSON.stringify(two)) return one
  if (one?.kind === 'null') return two
  if (one?.kind === 'time' && two?.kind === 'time') return finest([one, two])
  // The text becomes a time.
  const time = isText(two) ? one : isText(one) ? two : undefined
  return time?.kind === 'time' ? time : undefined
}
