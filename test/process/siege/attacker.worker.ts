// A thread that attacks, so that making bodies holds up no honest client.
import { parentPort, workerData } from 'node:worker_threads'
import { attacks, type Target } from './attacks.ts'

export interface Order {
  /** Names of attacks; none: stop. */
  readonly names: readonly string[]
}

/** By attack: what became of its requests, and how often. */
export type Outcomes = ReadonlyMap<string, ReadonlyMap<string, number>>

const target = workerData as Target
let wave = 0
let outcomes = new Map<string, Map<string, number>>()

async function attack(name: string, mine: number): Promise<void> {
  const { send, many } = attacks.find(each => each.name === name)!
  const one = async () => {
    while (wave === mine) {
      const outcome = await send(target)
      const counts = outcomes.get(name) ?? new Map<string, number>()
      outcomes.set(name, counts.set(outcome, (counts.get(outcome) ?? 0) + 1))
    }
  }
  await Promise.all(Array.from({ length: many }, one))
}

async function follow({ names }: Order): Promise<void> {
  const mine = ++wave
  parentPort!.postMessage(outcomes)
  outcomes = new Map()
  for (const name of names) {
    await attacks.find(each => each.name === name)!.prepare?.(target)
    void attack(name, mine)
  }
}

parentPort!.on('message', (order: Order) => void follow(order))
