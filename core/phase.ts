// The phases of a plugin's life: each has a time limit, and its errors name the plugin.
import { AsyncLocalStorage } from 'node:async_hooks'
import { formatDuration } from './config/units.ts'
import { reasonOf } from './errors.ts'
import { after, type Timer } from './timer.ts'

/** Beginning of the error message of each phase. */
const failures = {
  setup: 'cannot start',
  routes: 'cannot start',
  listeners: 'cannot start',
  reload: 'refuses its new options',
  close: 'cannot stop'
} as const

type Phase = keyof typeof failures

interface PhaseLimits {
  /** Milliseconds; 0 means no limit. */
  readonly limit: number
  /** When it fires, the phase is abandoned and its reason thrown. */
  readonly signal?: AbortSignal | undefined
  /** Further words for the error, for example `on the server main`. */
  readonly where?: string
}

const working = new AsyncLocalStorage<string>()

/** The plugin on whose behalf the current code runs, if known. */
export function pluginAtWork(): string | undefined {
  return working.getStore()
}

/** Runs work on behalf of a plugin, so that errors of promises and timers it starts can be attributed to it. */
export function onBehalfOf<T>(plugin: string, work: () => T): T {
  return working.run(plugin, work)
}

/** Runs one phase of a plugin. Rejects with an Error naming the plugin if it throws, rejects or takes too long. */
export async function inPhase<T>(
  { name }: { readonly name: string },
  phase: Phase,
  { limit, signal, where }: PhaseLimits,
  work: () => T | Promise<T>
): Promise<T> {
  signal?.throwIfAborted()
  const end = Promise.withResolvers<never>()
  const stop = () => end.reject(signal?.reason)
  let timer: Timer | undefined
  if (limit > 0) {
    const message = `its ${phase} did not end within ${formatDuration(limit)} (plugin_timeout)`
    timer = after(limit, () => end.reject(new Error(message)))
  }
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([onBehalfOf(name, async () => work()), end.promise])
  } catch (error) {
    if (signal?.aborted === true && error === signal.reason) throw error
    const what = ['plugin', name, failures[phase], where].filter(word => word !== undefined).join(' ')
    throw new Error(`${what}: ${reasonOf(error)}`, { cause: error })
  } finally {
    timer?.stop()
    signal?.removeEventListener('abort', stop)
  }
}
