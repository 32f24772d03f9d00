// What an evaluation of a rule gives: series with one number each.

/** Sorted by name; no value is empty. */
export type Labels = readonly (readonly [name: string, value: string])[]

export interface Sample {
  readonly labels: Labels
  readonly value: number
}

export const metricName = '__name__'

/** Texts of equal label sets are equal. */
export function keyOf(labels: Labels): string {
  return JSON.stringify(labels)
}

/** These labels with others put over them; empty values take labels away. */
export function withLabels(labels: Labels, over: Iterable<readonly [string, string]>): Labels {
  const all = new Map(labels)
  for (const [name, value] of over) all.set(name, value)
  return labelsOf(all)
}

export function labelsOf(pairs: Iterable<readonly [string, string]>): Labels {
  return [...pairs].filter(([, value]) => value !== '').sort(([a], [b]) => (a < b ? -1 : 1))
}
