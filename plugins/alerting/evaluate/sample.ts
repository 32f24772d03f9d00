// The result of a rule's evaluation: series with one number or native histogram each.
import type { NativeHistogram } from '../../services.ts'

/** Sorted by name, without empty values. */
export type Labels = readonly (readonly [name: string, value: string])[]

export interface Sample {
  readonly labels: Labels
  /** 0 for a native histogram. */
  readonly value: number
  readonly histogram?: NativeHistogram
}

/** A series that an evaluation has written. */
export interface Written {
  readonly labels: Labels
  /** Whether its last sample was a native histogram. */
  readonly isHistogram: boolean
}

export const metricName = '__name__'

/** A text that is equal for equal label sets. */
export function keyOf(labels: Labels): string {
  return JSON.stringify(labels)
}

/** The labels with others added or replaced; an empty value removes a label. */
export function withLabels(labels: Labels, over: Iterable<readonly [string, string]>): Labels {
  const all = new Map(labels)
  for (const [name, value] of over) all.set(name, value)
  return labelsOf(all)
}

export function labelsOf(pairs: Iterable<readonly [string, string]>): Labels {
  return [...pairs].filter(([, value]) => value !== '').sort(([a], [b]) => (a < b ? -1 : 1))
}
