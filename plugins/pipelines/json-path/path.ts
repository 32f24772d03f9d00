// A JSONPath as data: segments that select, and the tests of their filters.
import type { ItemValue, LinearRegex } from '../../../core/compute.ts'

export interface Segment {
  /** Whether the segment descends to all nested values. */
  readonly descends: boolean
  readonly selectors: readonly Selector[]
}

export type Selector =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'every' }
  /** Negative: from the end. */
  | { readonly kind: 'index'; readonly index: number }
  | {
      readonly kind: 'slice'
      readonly start: number | undefined
      readonly end: number | undefined
      readonly step: number
    }
  | { readonly kind: 'filter'; readonly test: Test }

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>='

export type Test =
  | { readonly kind: 'any' | 'all'; readonly tests: readonly Test[] }
  | { readonly kind: 'not'; readonly test: Test }
  | { readonly kind: 'compare'; readonly by: Comparison; readonly left: Operand; readonly right: Operand }
  | { readonly kind: 'exists'; readonly query: Query }
  | { readonly kind: 'matches'; readonly operand: Operand; readonly regex: LinearRegex }

export interface Query {
  readonly kind: 'query'
  /** A path that starts at the root of the item, not at the value that the filter tests. */
  readonly absolute: boolean
  readonly segments: readonly Segment[]
}

export type Operand =
  | Query
  | { readonly kind: 'literal'; readonly value: ItemValue }
  /** Characters of a text, elements of an array, members of an object. */
  | { readonly kind: 'length'; readonly operand: Operand }
  /** How many values a query selects. */
  | { readonly kind: 'count'; readonly query: Query }
  /** The value a query selects when it is only one. */
  | { readonly kind: 'value'; readonly query: Query }
