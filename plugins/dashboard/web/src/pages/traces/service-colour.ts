// Each service has a colour of its own, the same wherever it is met.
import { computed, signal } from '@preact/signals'
import { services } from '../../api/traces.ts'
import { coloursOf } from '../../colours.ts'
import { database } from '../../session.ts'

const known = signal<ReadonlySet<string>>(new Set())

const colours = computed(() => coloursOf(known.value))

/** Colours are given to all services of the database, so that they do not depend on which are seen first. */
export async function learnServices(signal?: AbortSignal): Promise<readonly string[]> {
  const names = await services(signal)
  meetServices(names)
  return names
}

export function meetServices(names: Iterable<string>): void {
  const all = new Set([...known.peek(), ...names])
  if (all.size > known.peek().size) known.value = all
}

export function serviceColour(service: string): string {
  return colours.value.get(service) ?? 'var(--quiet)'
}

/** Those of another database would take colours. */
database.subscribe(() => {
  known.value = new Set()
})
