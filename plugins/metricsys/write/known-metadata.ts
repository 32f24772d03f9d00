// Which metadata is stored already: senders repeat all of it every minute.
import type { MetricMetadata } from '../../services.ts'

const most = 100_000

export class KnownMetadata {
  readonly #known = new Map<string, string>()

  /** What is new or says something else than before, the last word on each metric. */
  changed(db: string, metadata: readonly MetricMetadata[]): readonly MetricMetadata[] {
    const last = new Map(metadata.filter(({ metric }) => metric !== '').map(each => [each.metric, each]))
    return [...last.values()].filter(each => this.#known.get(keyOf(db, each)) !== textOf(each))
  }

  /** Remembers what was stored; starts anew when it gets too much. */
  keep(db: string, metadata: readonly MetricMetadata[]): void {
    if (this.#known.size + metadata.length > most) this.#known.clear()
    for (const each of metadata.slice(0, most)) this.#known.set(keyOf(db, each), textOf(each))
  }
}

function keyOf(db: string, { metric }: MetricMetadata): string {
  return `${db}\0${metric}`
}

function textOf({ type, unit, help }: MetricMetadata): string {
  return `${type}\0${unit}\0${help}`
}
