// Parses a pprof file to a call tree.
import { DbError, ProtoReader } from '../../../core/wire/index.ts'
import { createFrameSet } from '../frame.ts'
import { callOf, createRoot, type Frame, type Profile } from '../profile.ts'

interface Parts {
  readonly texts: string[]
  readonly types: { type: number; unit: number }[]
  readonly samples: { readonly locations: readonly number[]; readonly values: readonly number[] }[]
  /** Lines by location id, innermost first. */
  readonly locations: Map<number, { readonly address: number; readonly lines: readonly Line[] }>
  readonly functions: Map<number, { readonly name: number; readonly file: number }>
  period: number
  time: number
  /** Index of the sample value to show; the number of a text. */
  standard: number
}

interface Line {
  readonly function: number
  readonly line: number
}

/** Uses the default value, else the last one in bytes or nanoseconds. Throws DbError `InvalidArguments`. */
export function readPprof(bytes: Uint8Array): Profile {
  const parts = readParts(bytes)
  const text = (index: number) => parts.texts[index] ?? ''
  const units = parts.types.map(({ unit }) => text(unit))
  const named = parts.types.findIndex(({ type }) => type === parts.standard && parts.standard !== 0)
  const chosen = named >= 0 ? named : units.findLastIndex(unit => unit === 'bytes' || unit === 'nanoseconds')
  const value = chosen >= 0 ? chosen : 0
  if (parts.types.length === 0 || parts.samples.length === 0) {
    throw new DbError('InvalidArguments', 'it has no samples')
  }
  const frameOf = createFrames(parts)
  const root = createRoot()
  for (const { locations, values } of parts.samples) {
    let call = root
    for (const location of locations.toReversed()) for (const frame of frameOf(location)) call = callOf(call, frame)
    call.self += Math.max(0, values[value] ?? 0)
  }
  const kind = units[value] === 'nanoseconds' ? 'cpu' : 'heap'
  const facts = [`shows ${text(parts.types[value]!.type)} in ${units[value]}`]
  return { kind, root, time: parts.time / 1e6, duration: 0, period: parts.period, facts }
}

function readParts(bytes: Uint8Array): Parts {
  const parts: Parts = {
    texts: [],
    types: [],
    samples: [],
    locations: new Map(),
    functions: new Map(),
    period: 0,
    time: 0,
    standard: 0
  }
  const reader = new ProtoReader(bytes)
  while (reader.next()) readField(reader, parts)
  return parts
}

function readField(reader: ProtoReader, parts: Parts): void {
  switch (reader.field) {
    case 1: {
      const numbers = readNumbers(reader.message())
      parts.types.push({ type: numbers.get(1) ?? 0, unit: numbers.get(2) ?? 0 })
      return
    }
    case 2:
      parts.samples.push(readSample(reader.message()))
      return
    case 4:
      readLocation(reader.message(), parts)
      return
    case 5: {
      const numbers = readNumbers(reader.message())
      parts.functions.set(numbers.get(1) ?? 0, { name: numbers.get(2) ?? 0, file: numbers.get(4) ?? 0 })
      return
    }
    case 6:
      parts.texts.push(reader.text())
      return
    case 9:
      parts.time = Number(reader.int64())
      return
    case 12:
      parts.period = Number(reader.int64())
      return
    case 14:
      parts.standard = Number(reader.int64())
      return
    default:
      reader.skip()
  }
}

function readSample(reader: ProtoReader): Parts['samples'][number] {
  const locations: number[] = []
  const values: number[] = []
  while (reader.next()) {
    if (reader.field === 1) reader.repeated(inner => locations.push(Number(inner.uint64())))
    else if (reader.field === 2) reader.repeated(inner => values.push(Number(inner.int64())))
    else reader.skip()
  }
  return { locations, values }
}

function readLocation(reader: ProtoReader, { locations }: Parts): void {
  const lines: Line[] = []
  let id = 0
  let address = 0
  while (reader.next()) {
    if (reader.field === 1) id = Number(reader.uint64())
    else if (reader.field === 3) address = Number(reader.uint64())
    else if (reader.field === 4) {
      const numbers = readNumbers(reader.message())
      lines.push({ function: numbers.get(1) ?? 0, line: numbers.get(2) ?? 0 })
    } else reader.skip()
  }
  locations.set(id, { address, lines })
}

/** The numbers of a message by field. */
function readNumbers(reader: ProtoReader): ReadonlyMap<number, number> {
  const numbers = new Map<number, number>()
  while (reader.next()) {
    if (reader.type === 0) numbers.set(reader.field, Number(reader.uint64()))
    else reader.skip()
  }
  return numbers
}

/** The frames of a location, callers first; functions without a name are named by address. */
function createFrames({ texts, locations, functions }: Parts): (location: number) => readonly Frame[] {
  const frame = createFrameSet()
  const known = new Map<number, readonly Frame[]>()
  return id => {
    let frames = known.get(id)
    if (frames === undefined) {
      const { address = 0, lines = [] } = locations.get(id) ?? {}
      const named = lines.map(({ function: number, line }) => {
        const { name = 0, file = 0 } = functions.get(number) ?? {}
        return frame(texts[name] || '(unknown)', texts[file] ?? '', line)
      })
      frames = named.length > 0 ? named.reverse() : [frame(`0x${address.toString(16)}`)]
      known.set(id, frames)
    }
    return frames
  }
}
