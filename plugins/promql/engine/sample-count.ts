// Counts the samples that selectors read, in total and per step.
import { type Grid, timeOf } from './series.ts'

export class SampleCount {
  readonly #grid: Grid
  readonly #perStep: Float64Array

  /** The grid of the whole query. */
  constructor(grid: Grid) {
    this.#grid = grid
    this.#perStep = new Float64Array(grid.count)
  }

  /** Samples seen at a step of a grid; those of a subquery's steps count for the next step of the query. */
  add(grid: Grid, step: number, samples: number): void {
    const { start, step: width, count } = this.#grid
    const index = width === 0 ? 0 : Math.ceil((timeOf(grid, step) - start) / width)
    this.#perStep[Math.min(Math.max(index, 0), count - 1)]! += samples
  }

  get total(): number {
    return this.#perStep.reduce((sum, samples) => sum + samples, 0)
  }

  /** Milliseconds since 1970 and samples. */
  get perStep(): readonly (readonly [time: number, samples: number])[] {
    return Array.from(this.#perStep, (samples, step) => [timeOf(this.#grid, step), samples] as const)
  }
}
