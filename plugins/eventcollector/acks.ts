// Acknowledgements by channel. A request is answered after its events are stored, so every number given out is acknowledged at once.
import { CollectorError } from './errors.ts'

const guid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i

export interface Acks {
  /** The next number of a channel, from 0. */
  next(channel: string): number
  /** Whether the channel, as far as it is remembered, has given out the number. */
  isDone(channel: string, id: number): boolean
}

/** Remembers `maxChannels` channels; the least recently used one is forgotten first. */
export function createAcks(maxChannels: number): Acks {
  const channels = new Map<string, number>()
  return {
    next(channel) {
      const id = channels.get(channel) ?? 0
      channels.delete(channel)
      channels.set(channel, id + 1)
      if (channels.size > maxChannels) channels.delete(channels.keys().next().value!)
      return id
    },
    isDone: (channel, id) => id >= 0 && id < (channels.get(channel) ?? 0)
  }
}

/** Checks the channel of a request. Throws CollectorError if it is missing or not a GUID. */
export function checkChannel(channel: string | undefined): string {
  if (channel === undefined || channel.trim() === '') throw new CollectorError(10)
  const text = channel.trim().toLowerCase()
  if (!guid.test(text)) throw new CollectorError(11, `the channel is not a GUID: ${text.slice(0, 60)}`)
  return text
}
