// Parameters of property tests: the number of cases and the seed.
const { WEIR_PROPERTY_RUNS: runs, WEIR_PROPERTY_SEED: seed, WEIR_PROPERTY_PATH: path } = process.env

/**
 * Parameters of fast-check for `usual` cases, the same ones in every run. With `WEIR_PROPERTY_RUNS` the number is another one and the cases are
 * random; `WEIR_PROPERTY_SEED` and `WEIR_PROPERTY_PATH` replay a case that failed.
 */
export function cases(usual: number): { numRuns: number; seed?: number; path?: string } {
  return {
    numRuns: Number(runs ?? usual),
    ...(seed !== undefined ? { seed: Number(seed) } : runs === undefined && { seed: 20_261_123 }),
    ...(path !== undefined && { path })
  }
}
