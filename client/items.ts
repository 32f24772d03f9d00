// Items as lines of JSON, in requests of a size that servers take.

/** An item to be stored. */
export type Item = Readonly<Record<string, unknown>>

const maxItems = 10_000
/** In UTF-16 units. */
const maxLength = 4 * 2 ** 20

/** Bodies of NDJSON, each with as many items as one request should have. */
export async function* bodiesOf(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<string, void> {
  let lines: string[] = []
  let length = 0
  for await (const item of items) {
    const line = JSON.stringify(item, exactly)
    lines.push(line)
    length += line.length
    if (lines.length < maxItems && length < maxLength) continue
    yield lines.join('\n')
    lines = []
    length = 0
  }
  if (lines.length > 0) yield lines.join('\n')
}

/** Writes a bigint digit by digit. */
function exactly(_key: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value
  const { rawJSON } = JSON as unknown as { readonly rawJSON?: (text: string) => unknown }
  return rawJSON === undefined ? Number(value) : rawJSON(String(value))
}
