// Encodes items as NDJSON, split into request bodies of a size that the server accepts.

/** An item to be stored. */
export type Item = Readonly<Record<string, unknown>>

const maxItems = 10_000
/** Size in UTF-16 code units at which a body is complete. */
const fullLength = 4 * 2 ** 20

/** Yields NDJSON bodies, each with as many items as one request should have. */
export async function* bodiesOf(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<string, void> {
  let lines: string[] = []
  let length = 0
  for await (const item of items) {
    const line = JSON.stringify(item, encodeBigint)
    lines.push(line)
    length += line.length
    if (lines.length < maxItems && length < fullLength) continue
    yield lines.join('\n')
    lines = []
    length = 0
  }
  if (lines.length > 0) yield lines.join('\n')
}

/** Replacer for `JSON.stringify`: a bigint becomes a JSON number, with all its digits where the runtime has `JSON.rawJSON`. */
function encodeBigint(_key: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value
  const { rawJSON } = JSON as unknown as { readonly rawJSON?: (text: string) => unknown }
  return rawJSON === undefined ? Number(value) : rawJSON(String(value))
}
