// The addresses that servers listen on.
import { createServer } from 'node:net'
import { ConfigError } from '../config/error.ts'
import type { Config } from '../config/schema.ts'

interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Parses `host:port` or `[address]:port`. `localhost` is 127.0.0.1: Fastify would open a second server for its other addresses, without the limits
 * of connections.
 */
export function parseAddress(text: string): Address {
  const end = text.lastIndexOf(':')
  const host = text.slice(0, end).replace(/^\[|\]$/g, '')
  return { host: host === 'localhost' ? '127.0.0.1' : host, port: Number(text.slice(end + 1)) }
}

/** The reason, in words, why listening failed. */
export function listenFailure(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'EADDRINUSE' ? 'the address is already in use' : message
}

/**
 * Throws ConfigError if the servers could not listen at the addresses of a new configuration. Ports that this process holds count as free,
 * because they will be.
 */
export async function checkAddresses({ http: now }: Config, { http: next }: Config): Promise<void> {
  const own = [now.addr, now.api_server_addr].map(text => parseAddress(text).port)
  const keys = next.enable_api_server ? (['addr', 'api_server_addr'] as const) : (['addr'] as const)
  for (const key of keys) {
    const address = parseAddress(next[key])
    if (next[key] === now[key] || own.includes(address.port)) continue
    try {
      await tryAddress(address)
    } catch (error) {
      const message = `cannot listen on ${next[key]}: ${listenFailure(error)}`
      throw new ConfigError([{ path: ['http', key], message }])
    }
  }
}

function tryAddress({ host, port }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host, port }, () => server.close(() => resolve()))
  })
}
