// Re-exports the pacing of long computations.
export { eachPaced, mapPaced, Pace, sortPaced } from '../../../core/index.ts'
