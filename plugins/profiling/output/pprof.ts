// Encodes a profile for the pprof tool: profile.proto, gzipped.

import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { ProtoWriter } from '../../../core/wire/index.ts'
import { type Frame, ownerOf, type Profile, stacks } from '../profile.ts'

/** Field numbers of profile.proto. */
const field = {
  profile: {
    sampleType: 1,
    sample: 2,
    mapping: 3,
    location: 4,
    function: 5,
    text: 6,
    time: 9,
    duration: 10,
    periodType: 11,
    period: 12,
    comment: 13,
    defaultSampleType: 14
  },
  valueType: { type: 1, unit: 2 },
  sample: { location: 1, value: 2, label: 3 },
  label: { key: 1, text: 2 },
  mapping: { id: 1, file: 5, hasFunctions: 7, hasFilenames: 8, hasLines: 9 },
  location: { id: 1, mapping: 2, line: 4 },
  line: { function: 1, line: 2 },
  function: { id: 1, name: 2, systemName: 3, file: 4, startLine: 5 }
} as const

const pack = promisify(gzip)

/** Each sample has a label `plugin`, the owner of the work. */
export function encodePprof(profile: Profile): Promise<Buffer> {
  return pack(writePprof(profile))
}

/** The message before compression. */
export function writePprof(profile: Profile): Uint8Array {
  const file = new PprofFile()
  const isCpu = profile.kind === 'cpu'
  const { type, unit } = isCpu ? { type: 'cpu', unit: 'nanoseconds' } : { type: 'inuse_space', unit: 'bytes' }
  if (isCpu) file.sampleType('samples', 'count')
  file.sampleType(type, unit)
  for (const { frames, self } of stacks(profile.root)) {
    const amount = Math.round(self)
    const count = Math.max(1, Math.round(self / (profile.period || 1)))
    file.sample(frames, isCpu ? [count, amount] : [amount], ownerOf(frames))
  }
  return file.end(profile, type, unit)
}

class PprofFile {
  readonly #out = new ProtoWriter()
  readonly #part = new ProtoWriter()
  readonly #inner = new ProtoWriter()
  readonly #texts = new Map<string, number>([['', 0]])
  /** Number of a frame's function and location. */
  readonly #frames = new Map<Frame, number>()

  sampleType(type: string, unit: string): void {
    this.#valueType(field.profile.sampleType, type, unit)
  }

  sample(frames: readonly Frame[], values: readonly number[], plugin: string): void {
    const locations = this.#packed(frames.map(frame => this.#location(frame)))
    this.#part.clear()
    this.#part.data(field.sample.location, locations)
    this.#part.data(field.sample.value, this.#packed(values))
    const { key, text } = field.label
    this.#part.data(
      field.sample.label,
      this.#made(w => w.uint(key, this.#text('plugin')).uint(text, this.#text(plugin)))
    )
    this.#out.data(field.profile.sample, this.#part.bytes)
  }

  end(profile: Profile, type: string, unit: string): Uint8Array {
    const out = this.#out
    this.#mapping()
    for (const [frame, id] of this.#frames) this.#function(frame, id)
    out.uint(field.profile.time, BigInt(profile.time) * 1_000_000n)
    if (profile.duration > 0) out.uint(field.profile.duration, Math.round(profile.duration * 1e6))
    if (profile.period > 0) {
      this.#valueType(field.profile.periodType, profile.kind === 'cpu' ? type : 'space', unit)
      out.uint(field.profile.period, Math.round(profile.period))
    }
    for (const fact of profile.facts) out.uint(field.profile.comment, this.#text(fact))
    out.uint(field.profile.defaultSampleType, this.#text(type))
    for (const text of this.#texts.keys()) out.text(field.profile.text, text)
    return out.bytes
  }

  #valueType(fieldNumber: number, type: string, unit: string): void {
    const { valueType } = field
    this.#out.data(
      fieldNumber,
      this.#made(w => w.uint(valueType.type, this.#text(type)).uint(valueType.unit, this.#text(unit)))
    )
  }

  /** A mapping that declares names, files and lines as complete. */
  #mapping(): void {
    const { id, file, hasFunctions, hasFilenames, hasLines } = field.mapping
    const bytes = this.#made(w =>
      w.uint(id, 1).uint(file, this.#text('weir')).uint(hasFunctions, 1).uint(hasFilenames, 1).uint(hasLines, 1)
    )
    this.#out.data(field.profile.mapping, bytes)
  }

  #function(frame: Frame, id: number): void {
    const { name, systemName, file, startLine } = field.function
    const text = this.#text(pprofName(frame))
    const fileText = this.#text(frame.file)
    const bytes = this.#made(w =>
      w
        .uint(field.function.id, id)
        .uint(name, text)
        .uint(systemName, text)
        .uint(file, fileText)
        .uint(startLine, frame.line)
    )
    this.#out.data(field.profile.function, bytes)
    const line = this.#made(w => w.uint(field.line.function, id).uint(field.line.line, frame.line)).slice()
    const location = this.#made(w =>
      w.uint(field.location.id, id).uint(field.location.mapping, 1).data(field.location.line, line)
    )
    this.#out.data(field.profile.location, location)
  }

  #location(frame: Frame): number {
    let id = this.#frames.get(frame)
    if (id === undefined) {
      id = this.#frames.size + 1
      this.#frames.set(frame, id)
    }
    return id
  }

  #text(text: string): number {
    let index = this.#texts.get(text)
    if (index === undefined) {
      index = this.#texts.size
      this.#texts.set(text, index)
    }
    return index
  }

  #packed(numbers: readonly number[]): Uint8Array {
    return this.#made(w => {
      for (const number of numbers) w.varint(number)
    }).slice()
  }

  #made(fill: (writer: ProtoWriter) => unknown): Uint8Array {
    this.#inner.clear()
    fill(this.#inner)
    return this.#inner.bytes
  }
}

/** Functions without a name are distinguished by their location, because the tool shows nothing else. */
function pprofName({ name, file, line }: Frame): string {
  return name === '(anonymous)' && file !== '' ? `(anonymous ${file}:${line})` : name
}
