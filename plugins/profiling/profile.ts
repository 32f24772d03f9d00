// A profile as a tree of calls, from which all outputs are made.

/** A function, a thread, or native work. Equal frames are one object. */
export interface Frame {
  readonly name: string
  /** Relative to the package or to `node_modules`, with forward slashes; empty if there is none. */
  readonly file: string
  /** From 1; 0 if there is none. */
  readonly line: number
  /** Owner of the code: a plugin, `core`, a package, `node`, `duckdb` and the like, or `native`. */
  readonly owner: string
  readonly kind: 'plugin' | 'core' | 'package' | 'node' | 'native'
}

export interface Call {
  readonly frame: Frame
  /** Nanoseconds or bytes, without the calls below. */
  self: number
  readonly calls: Map<Frame, Call>
}

export interface Profile {
  readonly kind: 'cpu' | 'heap'
  /** The root stands for the whole profile and has no frame. */
  readonly root: Call
  /** Milliseconds since 1970. */
  readonly time: number
  /** Duration in milliseconds; 0 for a snapshot. */
  readonly duration: number
  /** Nanoseconds or bytes between two samples; 0 if it was not sampled. */
  readonly period: number
  /** Facts for the reader, a line each. */
  readonly facts: readonly string[]
  /** Meaning of the colours, if it is not the kind of code. */
  readonly legend?: Readonly<Record<Frame['kind'], string>>
}

const rootFrame: Frame = { name: 'all', file: '', line: 0, owner: 'native', kind: 'native' }

export function createRoot(): Call {
  return { frame: rootFrame, self: 0, calls: new Map() }
}

/** Whether a value is a valid amount, because uploaded files may contain anything. */
export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER
}

/** The child call for a frame, created if needed. */
export function callOf(parent: Call, frame: Frame): Call {
  let call = parent.calls.get(frame)
  if (call === undefined) {
    call = { frame, self: 0, calls: new Map() }
    parent.calls.set(frame, call)
  }
  return call
}

/** Cumulative amounts of all calls. Not recursive, because a tree may be deeper than the stack. */
export function totals(root: Call): ReadonlyMap<Call, number> {
  const order: Call[] = [root]
  for (let i = 0; i < order.length; i++) for (const call of order[i]!.calls.values()) order.push(call)
  const sums = new Map<Call, number>()
  for (const call of order.toReversed()) {
    let sum = call.self
    for (const below of call.calls.values()) sum += sums.get(below)!
    sums.set(call, sum)
  }
  return sums
}

/** Every call with an amount of its own, with its frames from the innermost outwards. */
export function* stacks(root: Call): Generator<{ readonly frames: readonly Frame[]; readonly self: number }> {
  const path: { readonly call: Call; readonly rest: Iterator<Call> }[] = [{ call: root, rest: root.calls.values() }]
  while (path.length > 0) {
    const next = path.at(-1)!.rest.next()
    if (next.done) {
      path.pop()
      continue
    }
    path.push({ call: next.value, rest: next.value.calls.values() })
    if (next.value.self > 0) {
      const frames = path.slice(1).map(({ call }) => call.frame)
      yield { frames: frames.reverse(), self: next.value.self }
    }
  }
}

/** The owner of a stack: the innermost plugin, else the innermost of our parts, else that of the innermost frame. */
export function ownerOf(frames: readonly Frame[]): string {
  const plugin = frames.find(({ kind }) => kind === 'plugin') ?? frames.find(({ kind }) => kind === 'core')
  return (plugin ?? frames[0])?.owner ?? 'native'
}

/** `name file:line`, as text and flame graph show it. */
export function describeFrame({ name, file, line }: Frame): string {
  if (file === '') return name
  return line > 0 ? `${name} ${file}:${line}` : `${name} ${file}`
}

/** `1.25 s` or `3.40 MiB`. */
export function formatAmount({ kind }: Pick<Profile, 'kind'>, amount: number): string {
  if (kind === 'cpu') return amount >= 1e9 ? `${(amount / 1e9).toFixed(2)} s` : `${(amount / 1e6).toFixed(1)} ms`
  return amount >= 2 ** 20 ? `${(amount / 2 ** 20).toFixed(2)} MiB` : `${(amount / 1024).toFixed(1)} KiB`
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${((part / whole) * 100).toFixed(1)} %`
}
