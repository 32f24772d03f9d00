// How many cases of a property are tried, and which.
const { WEIR_PROPERTY_RUNS: runs, WEIR_PROPERTY_SEED: seed, WEIR_PROPERTY_PATH: path } = process.env

/**
 * Parameters of fast-check: so many cases, the same ones each time. `WEIR_PROPERTY_RUNS` asks for another number, and then for others
 * every time; seed and path of one that failed replay it.
 */
export function cases(usual: number): { numRuns: number; seed?: number; path?: string } {
  return {
    numRuns: Number(runs ?? usual),
    ...(seed !== undefined ? { seed: Number(seed) } : runs === undefined && { seed: 20_261_123 }),
    ...(path !== undefined && { path })
  }
}
