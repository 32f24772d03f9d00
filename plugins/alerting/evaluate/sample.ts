// What an evaluation of a rule gives: series with one number or one native histogram each.
import type { NativeHistogram } from '../../services.ts'

/** Sorted by name; no value is empty. */
export type Labels = readonly (readonly [name: string, value: string])[]

export interface Sample {
  readonly labels: Labels
  /** 0 where it is a native histogram. */
  readonly value: number
  readonly histogram?: NativeHistogram
}

/** A series an evaluation has written. */
export interface Written {
  readonly labels: Labels
  /** Whether its last sample was a native histogram. */
  readonly isHistogram: boolean
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
