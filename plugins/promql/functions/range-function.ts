// The interface of functions of range vectors. They also run in the reading threads, so this file imports nothing of the engine.
import type { Steps } from '../../../core/index.ts'
import type { Annotations } from '../engine/annotation.ts'
import { forMetric } from '../engine/annotation.ts'
import { pieceHistograms, pieceSamples } from '../engine/steps.ts'
import type { Samples, Window } from '../engine/window.ts'
import type { Histogram } from '../histogram/histogram.ts'
import type { Call, Expr } from '../language/ast.ts'

/** The facts a range function gets of its series. */
export interface RangeCall {
  readonly samples: Samples
  /** Of the series, '' when it has none. */
  readonly metric: string
  /** The range vector's expression, which annotations point to. */
  readonly where: Expr
  readonly annotations: Annotations
  /** Milliseconds. */
  readonly range: number
  /** Scalar arguments by argument index, then by step. */
  readonly scalars: readonly (Float64Array | undefined)[]
  readonly call: Call
}

type Result = number | Histogram | undefined

/** Computes windows that are not empty; undefined: no result. Windows come in ascending order. */
export interface WindowFunction {
  /** The result, computed without a pause. */
  compute(window: Window): Result
  /**
   * The same result to the last bit for a long window, in steps of `pieceSamples` floats or `pieceHistograms` histograms at most. Absent
   * where the work does not grow with the window.
   */
  inSteps?(window: Window): Steps<Result>
}

/** Floats of a window that is computed at once, at most; a histogram takes as long as many floats. */
const maxAtOnce = 65_536
const floatsPerHistogram = pieceSamples / pieceHistograms

export function isLong({ f0, f1, h0, h1 }: Window): boolean {
  return f1 - f0 + (h1 - h0) * floatsPerHistogram > maxAtOnce
}

/** Called once for each series, to compute whatever does not depend on the window. */
export type RangeFunction = (call: RangeCall) => WindowFunction

/** A function of the language that takes a range vector. */
export interface Ranged {
  readonly make: RangeFunction
  /** The result is still a value of the metric. */
  readonly keepName?: boolean
  /** Called for each series with a float result. */
  readonly tell?: (call: Pick<RangeCall, 'annotations' | 'where' | 'metric'>) => void
}

export type RangeFamily = Readonly<Record<string, Ranged>>

/** A window of floats and histograms has no result, but a warning. */
export function mixed({ annotations, where, metric }: RangeCall): undefined {
  annotations.warn(where, ...forMetric('encountered a mix of histograms and floats', metric))
}

export function warnLayouts({ annotations, where, metric }: RangeCall): void {
  const message = 'vector contains a mix of histograms with exponential and custom buckets schemas'
  annotations.warn(where, ...forMetric(message, metric))
}

/** Annotates windows that contain both floats and histograms, for functions of floats. */
export function tellIgnored({ annotations, where, metric }: RangeCall, { f0, f1, h0, h1 }: Window): void {
  if (f1 === f0 || h1 === h0) return
  annotations.info(where, ...forMetric('ignored histograms in a range containing both floats and histograms', metric))
}
