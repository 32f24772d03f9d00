// Texts and times with a zone that meet a time, as that moment in UTC: the engine would take the clock in a text for that of UTC, and
// that of a column for one of the session's zone.
import { duckdbTimeTypes, type TimeUnit } from '../../../core/index.ts'
import type { Canonical } from '../text/canonical.ts'
import { quoteName, quoteText } from '../text/token.ts'
import { type Edit, putBefore, putBehind } from './edit.ts'
import { unknownZone } from './engine-zone.ts'
import type { Extent } from './extent.ts'
import type { Names } from './names.ts'

/** An expression that meets a time of a unit. */
export interface TextTime {
  readonly extent: Extent
  /** Its meaning; the engine learns that of an unknown one when it plans the statement. */
  readonly kind: 'text' | 'zoned' | 'unknown'
  /** Times that the engine makes itself have microseconds. */
  readonly unit: TimeUnit | undefined
  /** Its name, where it is an item of a select list that keeps that of its column. */
  readonly name?: string
}

/** The name of a value that is looked at more than once; nobody sees it. */
export const hidden = '__value'

/** A value as a time in UTC: the clock in a text is that of the session, unless it has an offset. */
export const moment = (as: string): string => `timezone('UTC', ${as}(${hidden} AS TIMESTAMPTZ))`

/**
 * A text with the nanoseconds that the engine's times with a zone lack: the text gives these, and the zone only what lies between. What is
 * no time fails as a time without them.
 */
export function nanoseconds(as: string): string {
  const plain = `TRY_CAST(${hidden} AS TIMESTAMP_NS)`
  const between = `epoch_us(${moment(as)}) - epoch_us(CAST(${plain} AS TIMESTAMP))`
  return `coalesce(make_timestamp_ns(epoch_ns(${plain}) + 1000 * (${between})), ${as}(${moment(as)} AS TIMESTAMP_NS))`
}

interface Told {
  readonly names: Names
  /** Of the session, and whether the engine has it. */
  readonly zone: string
  readonly knowsZone: boolean
}

/** Around those that hold others first, so that parentheses that begin at one offset open in the right order. */
export function textTimeEdits(statement: Canonical, found: readonly TextTime[], told: Told): Edit[] {
  const opening = found.toSorted((a, b) => b.extent[1] - a.extent[1])
  const closing = found.toSorted((a, b) => b.extent[0] - a.extent[0])
  return [
    ...opening.map(each => putBefore(statement, each.extent[0], around(each, told)[0])),
    ...closing.map(each => {
      const name = each.name === undefined ? '' : ` AS ${quoteName(told.names.encode(each.name))}`
      return putBehind(statement, each.extent[1], `${around(each, told)[1]}${name}`)
    })
  ]
}

function around({ kind, unit }: TextTime, { zone, knowsZone }: Told): readonly [string, string] {
  if (kind === 'zoned') return ["timezone('UTC', ", ')']
  if (kind === 'text' && unit !== 'ns')
    return ["CAST(timezone('UTC', CAST(", ` AS TIMESTAMPTZ)) AS ${duckdbTimeTypes[unit ?? 'us']})`]
  const each = (value: string) => ['list_transform([', `], lambda ${hidden}: ${value})[1]`] as const
  if (kind === 'text') return each(nanoseconds('CAST'))
  const text = unit === 'ns' ? nanoseconds('CAST') : `CAST(${moment('CAST')} AS ${duckdbTimeTypes[unit ?? 'us']})`
  const json = `timezone('UTC', CAST(json_extract_string(CAST(${hidden} AS VARCHAR), '$') AS TIMESTAMPTZ))`
  const read = (value: string) =>
    knowsZone ? value : `CAST(error(${quoteText(unknownZone(zone, 'a text that meets a time').message)}) AS TIMESTAMP)`
  const other = `CAST(${hidden} AS ${unit === 'ns' ? 'TIMESTAMP_NS' : 'TIMESTAMP'})`
  return each(
    `CASE typeof(${hidden}) WHEN 'VARCHAR' THEN ${read(text)} WHEN 'JSON' THEN ${read(json)} WHEN 'TIMESTAMP WITH TIME ZONE' THEN ${moment('CAST')} ELSE ${other} END`
  )
}
