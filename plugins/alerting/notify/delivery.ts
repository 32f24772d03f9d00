// Delivers messages to one receiver in order, with a bounded queue and retries with exponential backoff.
import { formatDuration, type Logger, pause } from '../../../core/index.ts'
import type { Counters } from '../counters.ts'
import { reasonOf } from '../reason.ts'

export interface Message {
  /** Number of alerts in it. */
  readonly count: number
  readonly body: string
}

export interface DeliveryOptions {
  /** Maximum alerts in the queue. */
  readonly notify_queue: number
  /** Milliseconds. */
  readonly notify_timeout: number
  readonly notify_retry: number
}

export interface Delivery {
  add(message: Message): void
  waiting(): number
  /** Sends the queued messages once more, for at most `limit` milliseconds, and stops. */
  close(limit: number): Promise<void>
}

interface Receiver {
  readonly kind: 'alertmanager' | 'webhook'
  readonly url: string
}

const firstPause = 1_000
const maxPause = 60_000

/** Whether a retry may succeed after an answer with this status. */
const passing = (status: number) => status >= 500 || status === 429 || status === 408

export function createDelivery(
  receiver: Receiver,
  options: DeliveryOptions,
  counters: Counters,
  log: Logger
): Delivery {
  const queue: (Message & { readonly since: number })[] = []
  const stopping = new AbortController()
  const ended = new AbortController()
  const { url, headers } = target(receiver.url)
  let working: Promise<void> | undefined
  let isFailing = false
  const count = (result: 'sent' | 'refused' | 'expired' | 'dropped', { count }: Message) =>
    counters.notifications.add(count, { receiver: receiver.kind, result })
  const waiting = () => queue.reduce((sum, { count }) => sum + count, 0)

  /** Undefined if it was delivered, else the reason. */
  const post = async ({
    body
  }: Message): Promise<{ readonly reason: string; readonly isFinal: boolean } | undefined> => {
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(options.notify_timeout), ended.signal])
      const response = await fetch(url, { method: 'POST', headers, body, signal })
      await response.body?.cancel()
      if (response.ok) return undefined
      return { reason: `status ${response.status}`, isFinal: !passing(response.status) }
    } catch (error) {
      const { cause } = error as Error
      return { reason: reasonOf(cause ?? error), isFinal: false }
    }
  }

  const deliver = async (message: Message & { readonly since: number }): Promise<boolean> => {
    for (let wait = firstPause; ; wait = Math.min(2 * wait, maxPause)) {
      const failure = await post(message)
      if (failure === undefined) {
        isFailing = false
        count('sent', message)
        return true
      }
      // Logs only the first of several failures, without the URL, which may contain a secret.
      if (!isFailing)
        log.warn(
          { receiver: receiver.kind, host: new URL(url).host, ...failure },
          'alerts could not be sent to a receiver: they are tried again'
        )
      isFailing = true
      const isOld = Date.now() - message.since > options.notify_retry
      if (failure.isFinal || isOld) {
        count(failure.isFinal ? 'refused' : 'expired', message)
        return true
      }
      if (stopping.signal.aborted) return false
      await pause(wait, { signal: stopping.signal, ref: false }).catch(() => {})
    }
  }
  const work = async () => {
    while (queue.length > 0) {
      const message = queue[0]!
      if (!(await deliver(message))) break
      if (queue[0] === message) queue.shift()
    }
    working = undefined
  }
  return {
    waiting,
    add(message) {
      if (stopping.signal.aborted) return
      queue.push({ ...message, since: Date.now() })
      while (queue.length > 1 && waiting() > options.notify_queue) {
        // The first message may be in flight, so the second is dropped then.
        const [oldest] = queue.splice(working === undefined ? 0 : 1, 1)
        count('dropped', oldest!)
      }
      working ??= work()
    },
    async close(limit) {
      stopping.abort()
      await Promise.race([working, pause(limit, { ref: false })])
      ended.abort()
      await working
      const left = waiting()
      if (left > 0)
        log.warn(
          { receiver: receiver.kind, alerts: left, limit: formatDuration(limit) },
          'alerts were dropped: they could not be sent before the server stopped'
        )
    }
  }
}

/** Moves user and password of a URL to a header. */
function target(address: string): { readonly url: string; readonly headers: Readonly<Record<string, string>> } {
  const url = new URL(address)
  const { username, password } = url
  url.username = ''
  url.password = ''
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return {
    url: url.href,
    headers: {
      'content-type': 'application/json',
      ...(username !== '' && { authorization: `Basic ${Buffer.from(pair).toString('base64')}` })
    }
  }
}
