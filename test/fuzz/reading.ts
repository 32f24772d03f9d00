// Fuzzes a reader: random inputs, each of which must be accepted or refused.
import { createRandom, type Fuzz, type Random } from './random.ts'

export interface Attempt {
  /** What to tell of an input that broke something: enough to try it again. */
  input(): string
  /** Throws where the input is refused, or broke something. */
  read(): void
}

/** `refuses` tells errors that are meant from those that are faults. */
export function fuzzReading(attempt: (random: Random) => Attempt, refuses: (error: unknown) => boolean): Fuzz {
  return (seed, runs) => {
    const random = createRandom(seed)
    let taken = 0
    for (let run = 0; run < runs; run++) {
      const { input, read } = attempt(random)
      try {
        read()
        taken++
      } catch (error) {
        if (refuses(error)) continue
        const fault = error instanceof Error ? error.stack : String(error)
        return { runs: run, summary: `${taken} taken`, broken: `run ${run}, ${input()}: ${fault}` }
      }
    }
    return { runs, summary: `${taken} taken, the others refused` }
  }
}
