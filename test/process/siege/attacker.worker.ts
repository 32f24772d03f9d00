// A thread that attacks, so that making bodies holds up no honest client.
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { giveWay } from '../../../core/workers/give-way.ts'
import { attacks, type Target } from './attacks.ts'

export interface Order {
  /** Names of attacks; none: stop. */
  readonly names: readonly string[]
}

/** By attack: what became of its requests, and how often. */
export type Outcomes = ReadonlyMap<string, ReadonlyMap<string, number>>

const { url } = workerData as Target
let over = new AbortController()
// Making bodies and reading answers takes no processor from those who are measured.
giveWay('reads')
let outcomes = new Map<string, Map<string, number>>()

/** Milliseconds between two requests of an attacker, and as much as the last one took: the kind matters, not that the machine is busy. */
const rest = 20

async function attack(name: string, target: Target, signal: AbortSignal): Promise<void> {
  const { send, many } = attacks.find(each => each.name === name)!
  const one = async () => {
    while (!signal.aborted) {
      const began = performance.now()
      const outcome = await send(target)
      if (signal.aborted) return
      const counts = outcomes.get(name) ?? new Map<string, number>()
      outcomes.set(name, counts.set(outcome, (counts.get(outcome) ?? 0) + 1))
      await pause(rest + Math.min(1000, performance.now() - began), undefined, { signal }).catch(() => {})
    }
  }
  await Promise.all(Array.from({ length: many }, one))
}

async function follow({ names }: Order): Promise<void> {
  over.abort()
  over = new AbortController()
  const { signal } = over
  const target = { url, signal }
  parentPort!.postMessage(outcomes)
  outcomes = new Map()
  for (const name of names) {
    await attacks.find(each => each.name === name)!.prepare?.(target)
    void attack(name, target, signal)
  }
}

parentPort!.on('message', (order: Order) => void follow(order))
