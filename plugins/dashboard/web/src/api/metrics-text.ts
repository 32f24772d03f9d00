// The server's own metrics, from their text form.
import { send } from './http.ts'

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export async function readMetrics(signal?: AbortSignal): Promise<readonly Sample[]> {
  const response = await send('/metrics', { db: null, signal })
  return parse(await response.text())
}

function parse(text: string): Sample[] {
  const samples: Sample[] = []
  for (const line of text.split('\n')) {
    const found = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line)
    if (found === null) continue
    const [, name, labels = '', value] = found
    const pairs = Array.from(labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g), ([, key, text]) => [key, text] as const)
    samples.push({ name: name!, labels: Object.fromEntries(pairs), value: Number(value) })
  }
  return samples
}

/** The sum of a metric over all its labels. */
export function total(samples: readonly Sample[], name: string): number {
  return samples.reduce((sum, sample) => (sample.name === name ? sum + sample.value : sum), 0)
}
