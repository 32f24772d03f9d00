// Normalises answers of two servers of the query API, so that they can be compared.

export interface Answer {
  readonly status: number
  readonly type?: string
  readonly error?: string
  /** Samples by labels and time; histograms as JSON. */
  readonly samples: ReadonlyMap<string, string>
  readonly notes: readonly string[]
}

export interface Question {
  readonly query: string
  /** Of an instant query, in seconds. */
  readonly time?: number
  readonly range?: { readonly start: number; readonly end: number; readonly step: number }
}

interface Element {
  readonly metric: Readonly<Record<string, string>>
  readonly value?: readonly [number, string]
  readonly values?: readonly (readonly [number, string])[]
  readonly histogram?: readonly [number, unknown]
  readonly histograms?: readonly (readonly [number, unknown])[]
}

export function parametersOf({ query, time, range }: Question): string {
  const times = range ?? { time }
  return new URLSearchParams({
    query,
    ...Object.fromEntries(Object.entries(times).map(([k, v]) => [k, String(v)]))
  }).toString()
}

// biome-ignore lint/suspicious/noExplicitAny: what a server answers
export function readAnswer(status: number, body: any): Answer {
  const notes = [...(body.warnings ?? []), ...(body.infos ?? [])].sort()
  const samples = new Map<string, string>()
  if (body.status !== 'success') return { status, type: body.errorType, error: body.error, samples, notes }
  const { resultType, result } = body.data
  if (resultType === 'scalar' || resultType === 'string') samples.set('', JSON.stringify(result))
  else for (const element of result as Element[]) addSamples(samples, element)
  return { status, type: resultType, samples, notes }
}

function addSamples(samples: Map<string, string>, element: Element): void {
  const labels = JSON.stringify(Object.entries(element.metric).sort())
  const numbers = [...(element.value ? [element.value] : []), ...(element.values ?? [])]
  const others = [...(element.histogram ? [element.histogram] : []), ...(element.histograms ?? [])]
  for (const [time, value] of [...numbers, ...others]) {
    samples.set(`${labels} ${time}`, typeof value === 'string' ? value : JSON.stringify(value))
  }
}

/** Relative difference below which numbers are taken for equal: what the order of a sum and the last bit of a logarithm make. */
const tolerance = 1e-9

function sameText(a: string, b: string): boolean {
  if (a === b) return true
  if (!a.startsWith('{') || !b.startsWith('{')) return sameNumber(a, b)
  const [left, right] = [piecesOf(a), piecesOf(b)]
  return (
    left.length === right.length &&
    left.every((piece, i) => piece === right[i] || sameNumber(piece.slice(1, -1), right[i]!.slice(1, -1)))
  )
}

function piecesOf(text: string): readonly string[] {
  return text.match(/"[^"]*"|[^"]+/g) ?? []
}

function sameNumber(a: string, b: string): boolean {
  const [x, y] = [Number(a), Number(b)]
  if (Number.isNaN(x) || Number.isNaN(y)) return false
  return Math.abs(x - y) <= tolerance * Math.max(Math.abs(x), Math.abs(y))
}

/** What differs between two answers; undefined when nothing does. */
export function difference(ours: Answer, theirs: Answer): string | undefined {
  // Later versions look for multiple matches before they leave out what does not match: so does this server.
  if (ours.error?.startsWith('multiple matches') && theirs.status === 200) return undefined
  if (ours.status !== theirs.status || ours.type !== theirs.type) {
    return `${ours.status} ${ours.type} ${ours.error ?? ''} instead of ${theirs.status} ${theirs.type} ${theirs.error ?? ''}`
  }
  const keys = new Set([...ours.samples.keys(), ...theirs.samples.keys()])
  for (const key of keys) {
    const [a, b] = [ours.samples.get(key) ?? 'nothing', theirs.samples.get(key) ?? 'nothing']
    if (!sameText(a, b)) return `${key}: ${a} instead of ${b}`
  }
  return undefined
}

export function noteDifference(ours: Answer, theirs: Answer): string | undefined {
  const [a, b] = [JSON.stringify(ours.notes), JSON.stringify(theirs.notes)]
  return a === b ? undefined : `${a} instead of ${b}`
}
