// The spans of a request as columns: fields every span has, attributes by key, and byte ranges of the rest.

import { bitmap } from '../../../core/index.ts'
import type { ProtoReader } from '../../../core/wire/index.ts'
import { Dictionary } from '../column/dictionary.ts'
import type { Outline } from '../wire/outline.ts'
import { Ranges } from '../wire/ranges.ts'
import { Attributes } from './attributes.ts'
import { statusNames } from './field.ts'

/** The resource attribute that names the service. */
export const serviceKey = 'service.name'

/** One byte range of the body per owner. */
export class Texts {
  readonly starts: Uint32Array
  readonly ends: Uint32Array

  constructor(owners: number) {
    this.starts = new Uint32Array(owners)
    this.ends = new Uint32Array(owners)
  }

  /** Takes the text in the reader's field. */
  read(reader: ProtoReader, owner: number): void {
    this.starts[owner] = reader.pass()
    this.ends[owner] = reader.at
  }
}

export type Dropped = 'attributes' | 'events' | 'links'

/** One entry per span unless it says otherwise. Times are words of 64 bits, the low one first. */
export interface SpanBatch {
  readonly body: Uint8Array
  readonly spans: number
  readonly starts: Int32Array<ArrayBuffer>
  readonly ends: Int32Array<ArrayBuffer>
  readonly durations: Int32Array<ArrayBuffer>
  /** Hexadecimal digits: 32 and 16 a span. */
  readonly traceIds: Uint8Array
  readonly spanIds: Uint8Array
  /** 16 for each span that has a parent, and the offsets of these. */
  readonly parentIds: Uint8Array
  readonly parentOffsets: Uint32Array
  readonly hasParent: Uint8Array
  readonly kinds: Uint32Array
  readonly statuses: Uint32Array
  /** Index in `nameTexts` plus one; 0 for a span without a name. */
  readonly names: Uint32Array
  readonly nameTexts: Dictionary
  readonly statusMessages: Texts
  readonly traceStates: Texts
  /** The scope entry of each span, and its resource entry. */
  readonly scopeOf: Uint32Array
  readonly resourceOf: Uint32Array
  /** One entry per scope. */
  readonly scopeNames: Texts
  readonly scopeVersions: Texts
  readonly scopeUrls: Ranges
  /** One entry per resource. */
  readonly resourceUrls: Ranges
  readonly spanAttributes: Attributes
  readonly scopeAttributes: Attributes
  readonly resourceAttributes: Attributes
  /** Owners are spans. */
  readonly events: Ranges
  readonly links: Ranges
  /** Undefined while no span has flags. */
  flags: Uint32Array | undefined
  readonly dropped: { [of in Dropped]?: Uint32Array }
}

/** An empty batch with memory for all spans of the outline. */
export function createSpanBatch(body: Uint8Array, outline: Outline, maxKeys: number): SpanBatch {
  const { items: spans, scopes, scopeUrls, resourceUrls } = outline
  const { count } = spans
  const scopeOf = spans.owners.slice(0, count)
  return {
    body,
    spans: count,
    starts: new Int32Array(2 * count),
    ends: new Int32Array(2 * count),
    durations: new Int32Array(2 * count),
    traceIds: new Uint8Array(32 * count),
    spanIds: new Uint8Array(16 * count),
    parentIds: new Uint8Array(16 * count),
    parentOffsets: new Uint32Array(count + 1),
    hasParent: bitmap(count, false),
    kinds: new Uint32Array(count),
    statuses: new Uint32Array(count).fill(statusNames.indexOf('')),
    names: new Uint32Array(count),
    nameTexts: new Dictionary(body),
    statusMessages: new Texts(count),
    traceStates: new Texts(count),
    scopeOf,
    resourceOf: scopeOf.map(entry => scopes.owners[entry]!),
    scopeNames: new Texts(scopes.count),
    scopeVersions: new Texts(scopes.count),
    scopeUrls,
    resourceUrls,
    spanAttributes: new Attributes(count, maxKeys),
    scopeAttributes: new Attributes(scopes.count, maxKeys),
    resourceAttributes: new Attributes(resourceUrls.count, maxKeys, serviceKey),
    events: new Ranges(),
    links: new Ranges(),
    flags: undefined,
    dropped: {}
  }
}
