// Runs a rule's query, PromQL or SQL, and returns samples.
import {
  DbError,
  enabledService,
  isValid,
  mapPaced,
  Pace,
  type RecordsAnswer,
  type RequestContext,
  type ResultBatch
} from '../../../core/index.ts'
import type { PromqlService, SqlQueryService } from '../../services.ts'
import type { RuleQuery } from '../rule/rule.ts'
import { labelsOf, type Sample } from './sample.ts'

interface AskDependencies {
  readonly promql: PromqlService | undefined
  readonly sql: SqlQueryService | undefined
}

/** Up to `max` samples at `time` (milliseconds since 1970). Throws DbError, or Error for results that are not samples. */
export type Ask = (ctx: RequestContext, query: RuleQuery, time: number, max: number) => Promise<readonly Sample[]>

export function createAsk({ promql, sql }: AskDependencies): Ask {
  return async (ctx, query, time, max) => {
    if (query.kind === 'sql')
      return readSql(await enabledService(sql, 'sql', 'a rule with sql').query(ctx, query.text), max, new Pace(ctx))
    const result = await enabledService(promql, 'promql', 'a rule with expr').query(ctx, {
      text: query.text,
      start: time,
      end: time
    })
    if (result.type !== 'vector' && result.type !== 'scalar') throw new Error('rule result is not a vector or scalar')
    if (result.series > max) throw tooMany(max)
    return mapPaced(new Pace(ctx), result.samples(), ({ labels, value = 0, histogram }) => ({
      labels: Object.entries(labels),
      value,
      ...(histogram && { histogram })
    }))
  }
}

function tooMany(max: number): DbError {
  return new DbError('InvalidArguments', `a rule may give at most ${max} series (plugins.alerting.max_series)`)
}

const numberTypes = /^(U?Int\d+|Float\d+|Decimal.*)$/

/** The values are in the column `value`, or in the only numeric column; all others that are not null are labels. */
async function readSql(answer: RecordsAnswer, max: number, pace: Pace): Promise<Sample[]> {
  try {
    const { columns } = answer
    const numbers = columns.filter(({ type }) => numberTypes.test(type))
    const named = columns.findIndex(({ name }) => name === 'value')
    const valueAt = named >= 0 ? named : numbers.length === 1 ? columns.indexOf(numbers[0]!) : -1
    if (valueAt < 0 || !numberTypes.test(columns[valueAt]!.type)) {
      throw new Error('the statement needs one column of numbers, or one that is named value')
    }
    const samples: Sample[] = []
    for await (const batch of answer.batches()) {
      if (samples.length + batch.rows > max) throw tooMany(max)
      for (let row = 0; row < batch.rows; row++) {
        if (pace.isDue) await pace.pause()
        const value = cellOf(batch, valueAt, row)
        if (value === null) continue
        const labels = columns.flatMap(({ name }, c) => {
          const cell = c === valueAt ? null : cellOf(batch, c, row)
          return cell === null ? [] : [[name, String(cell)] as const]
        })
        samples.push({ labels: labelsOf(labels), value: Number(value) })
      }
    }
    return samples
  } finally {
    answer.close?.()
  }
}

function cellOf({ columns }: ResultBatch, column: number, row: number): unknown {
  const { values, valid } = columns[column]!
  return isValid(valid, row) ? (values[row] ?? null) : null
}
