// `stats`: what a query cost, beside its result.
import type { PromqlStats } from '../../services.ts'

/** `"stats":{…}`, with the samples of every step where `all` is asked for. */
export function statsJson({ took, peak, seen }: PromqlStats, asked: string): string {
  const { waiting, preparing, computing, sorting } = took
  const evaluated = preparing + computing + sorting
  const seconds = (milliseconds: number) => Number((milliseconds / 1_000).toFixed(9))
  const timings = {
    evalTotalTime: seconds(evaluated),
    resultSortTime: seconds(sorting),
    queryPreparationTime: seconds(preparing),
    innerEvalTime: seconds(computing),
    execQueueTime: seconds(waiting),
    execTotalTime: seconds(waiting + evaluated)
  }
  const perStep = seen?.perStep.map(([time, samples]) => [time / 1_000, samples])
  const samples = {
    ...(asked === 'all' && { totalQueryableSamplesPerStep: perStep ?? [] }),
    totalQueryableSamples: seen?.total ?? 0,
    peakSamples: peak
  }
  return `"stats":${JSON.stringify({ timings, samples })}`
}
