// Acknowledgements by channel: whatever was answered is stored, so an answered number is acknowledged at once.
import { CollectorError } from './errors.ts'

const guid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i

export interface Acks {
  /** The number of the next answer on a channel, from 0. */
  next(channel: string): number
  /** Whether the number was given on the channel since it was last heard of. */
  isDone(channel: string, id: number): boolean
}

/** Remembers so many channels; the one not used for longest goes first. */
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

/** A channel as a request names it. Throws CollectorError where it does not, or names none that is a GUID. */
export function checkChannel(channel: string | undefined): string {
  if (channel === undefined || channel.trim() === '') throw new CollectorError(10)
  const text = channel.trim().toLowerCase()
  if (!guid.test(text)) throw new CollectorError(11, `the channel is no GUID: ${text.slice(0, 60)}`)
  return text
}
