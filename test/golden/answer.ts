// Prints answers of the SQL route as lines of a golden file, and compares them with the expected ones.
import type { GoldenCase } from './case.ts'

/** A number as it was written. */
interface Digits {
  readonly digits: string
}

interface Body {
  readonly code?: Digits
  readonly error?: string
  readonly output?: readonly {
    readonly affectedrows?: Digits
    readonly records?: {
      readonly schema: { readonly column_schemas: readonly { name: string; data_type: string }[] }
      readonly rows: readonly (readonly unknown[])[]
    }
  }[]
}

/** What a golden file says of this reply. */
export function answerLines(status: number, text: string, isJson: boolean): string[] {
  if (!isJson) return untimed(text).split(/\r?\n/)
  const body = readBody(text)
  if (body.code !== undefined) {
    return [`error ${body.code.digits}(${status}) ${String(body.error).replace(/\s+/g, ' ').trim()}`]
  }
  if (body.output === undefined) return [text]
  return body.output.flatMap(({ affectedrows, records }, i) => {
    const lines =
      records === undefined
        ? [`affected ${affectedrows!.digits}`]
        : [
            records.schema.column_schemas.map(({ name, data_type }) => `${name}:${data_type}`).join(' | ') ||
              '(no columns)',
            ...records.rows.map(row => row.map(show).join(' | '))
          ]
    return i === 0 ? lines : ['--', ...lines]
  })
}

/** Text without its last line end and with the same duration every time. */
function untimed(text: string): string {
  return text
    .replace(/\r?\n$/, '')
    .replace(/"execution_time_ms":\d+/, '"execution_time_ms":0')
    .replace(/Elapsed: [\d.]+ sec\./, 'Elapsed: 0.000 sec.')
}

/** JSON with its numbers as they are written: `1.0` is not `1`, and 64-bit integers are whole. */
function readBody(text: string): Body {
  const revive = (_: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? { digits: context!.source } : value
  return JSON.parse(text, revive as Parameters<typeof JSON.parse>[1]) as Body
}

function show(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(show).join()}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if ('digits' in value) return (value as Digits).digits
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}:${show(member)}`)
    .join()}}`
}

/** Whether an answer is what the case expects. A line `...` stands for any lines to the end. */
export function isExpected({ expected, sorted }: GoldenCase, actual: readonly string[]): boolean {
  if (expected === undefined) return false
  const open = expected.indexOf('...')
  const wanted = open < 0 ? expected : expected.slice(0, open)
  const found = open < 0 ? actual : actual.slice(0, open)
  if (wanted.length !== found.length) return false
  if (wanted[0]?.startsWith('error ')) return isSameError(wanted[0], found[0]!)
  const order = (lines: readonly string[]) => (sorted ? lines.toSorted() : lines)
  const right = order(found)
  return order(wanted).every((line, i) => line === right[i])
}

function isSameError(wanted: string, found: string): boolean {
  const [, head = wanted, text = ''] = /^(error \S+) ?(.*)$/.exec(wanted) ?? []
  return found.startsWith(head) && found.includes(text)
}
