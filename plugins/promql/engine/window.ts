// The samples of a series that range functions see, and the window that slides over them.
import { endsStep, runAtOnce, type Steps } from '../../../core/compute.ts'
import type { Labels } from './labels.ts'
import { firstAfter } from './latest.ts'
import { type Floats, type Histograms, isStale, type RawSeries, wordsOf } from './source.ts'
import { pieceSamples } from './steps.ts'

/** All samples a range function may see of one series. */
export interface Samples {
  readonly labels: Labels
  readonly floats: Floats
  readonly histograms: Histograms
}

/** The samples one step sees: floats from `f0` to below `f1`, histograms from `h0` to below `h1`. Reused from step to step. */
export interface Window {
  /** The evaluation time in milliseconds. */
  time: number
  /** The window is (start, end], milliseconds. */
  start: number
  end: number
  f0: number
  f1: number
  h0: number
  h1: number
  step: number
}

export const noHistograms: Histograms = { times: new Float64Array(0), values: [] }

/** The series without its staleness markers. */
export function withoutStale(series: RawSeries): Samples {
  return runAtOnce(withoutStaleSteps(series))
}

export function* withoutStaleSteps({ labels, floats, histograms }: RawSeries): Steps<Samples> {
  return {
    labels,
    floats: yield* liveFloats(floats),
    histograms: histograms === undefined ? noHistograms : yield* liveHistograms(histograms)
  }
}

function* liveFloats(floats: Floats): Steps<Floats> {
  const words = wordsOf(floats.values)
  const length = floats.values.length
  let stale = 0
  for (let from = 0; from < length; from += pieceSamples) {
    if (from > 0) yield
    stale += countStale(words, from, Math.min(length, from + pieceSamples))
  }
  if (stale === 0) return floats
  const live = { times: new Float64Array(length - stale), values: new Float64Array(length - stale) }
  let n = 0
  for (let from = 0; from < length; from += pieceSamples) {
    if (from > 0) yield
    n = copyLive(floats, live, n, from, Math.min(length, from + pieceSamples))
  }
  return live
}

function countStale(words: Uint32Array, from: number, to: number): number {
  let stale = 0
  for (let i = from; i < to; i++) if (isStale(words, i)) stale++
  return stale
}

/** Copies samples behind the first `n` of `live`; returns their number. */
function copyLive({ times, values }: Floats, live: Floats, n: number, from: number, to: number): number {
  const words = wordsOf(values)
  let count = n
  for (let i = from; i < to; i++) {
    if (isStale(words, i)) continue
    live.times[count] = times[i]!
    live.values[count++] = values[i]!
  }
  return count
}

function* liveHistograms({ times, values }: Histograms): Steps<Histograms> {
  const sum = new Float64Array(1)
  const words = wordsOf(sum)
  const live: number[] = []
  for (let i = 0; i < values.length; i++) {
    sum[0] = values[i]!.sum
    if (!isStale(words, 0)) live.push(i)
    if (endsStep(i, pieceSamples)) yield
  }
  if (live.length === values.length) return { times, values }
  return { times: Float64Array.from(live, i => times[i]!), values: live.map(i => values[i]!) }
}

/** A window before the first sample that a step can see: `start` is where the window of the first step begins. */
export function windowAt({ floats, histograms }: Samples, start: number): Window {
  const [f, h] = [firstAfter(floats.times, start), firstAfter(histograms.times, start)]
  return { ...newWindow(), f0: f, f1: f, h0: h, h1: h }
}

export function newWindow(): Window {
  return { time: 0, start: 0, end: 0, f0: 0, f1: 0, h0: 0, h1: 0, step: 0 }
}

/** Moves a window to (start, end]; neither bound may decrease. */
export function moveWindow(window: Window, { floats, histograms }: Samples, start: number, end: number): void {
  window.start = start
  window.end = end
  window.f1 = advance(floats.times, window.f1, end)
  window.f0 = advance(floats.times, window.f0, start)
  if (histograms.times.length === 0) return
  window.h1 = advance(histograms.times, window.h1, end)
  window.h0 = advance(histograms.times, window.h0, start)
}

/** Samples by which most windows move at most; further ones are searched for. */
const nearby = 256

function advance(times: Float64Array, from: number, time: number): number {
  const end = Math.min(times.length, from + nearby)
  let at = from
  while (at < end && times[at]! <= time) at++
  return at < end ? at : firstAfter(times, time, at)
}
