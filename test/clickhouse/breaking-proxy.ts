// A proxy before a cluster that loses, delays and cuts off connections as networks do.
import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'

export type Break = 'before' | 'after' | 'twice' | 'parts' | 'slow'

/** Milliseconds until a slow answer goes on. */
const slowness = 1500

export interface BreakingProxy {
  readonly url: string
  /** What happens to the next connection that is used, then to the one after it; undefined: nothing. */
  break(...how: readonly (Break | undefined)[]): void
  /** While true, new connections are refused and open ones are closed. */
  away(isAway: boolean): void
}

/** Passes bytes on; cuts the next connections before the request goes through, or when its answer comes, answers as a cluster with too many parts, or late. */
export async function breakingProxy(t: Pick<Test, 'teardown'>, port: number): Promise<BreakingProxy> {
  let next: Break[] = []
  let isAway = false
  const sockets = new Set<Socket>()
  const server = createServer(client => {
    if (isAway) return void client.destroy()
    const upstream = connectTo(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    client.on('data', bytes => {
      if (next[0] === 'parts') {
        next.shift()
        const body = 'Code: 252. DB::Exception: Too many parts (3000). Merges are slower than inserts. (TOO_MANY_PARTS)'
        const head = `HTTP/1.1 500 Internal Server Error\r\nX-ClickHouse-Exception-Code: 252\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`
        client.end(head + body)
        upstream.destroy()
      } else if (next[0] === 'before') {
        next.shift()
        client.destroy()
        upstream.destroy()
      } else if (!upstream.destroyed) upstream.write(bytes)
    })
    upstream.on('data', bytes => {
      if (next[0] === 'after') {
        next.shift()
        client.destroy()
        upstream.destroy()
      } else if (next[0] === 'slow') {
        next.shift()
        upstream.pause()
        setTimeout(() => {
          client.write(bytes)
          upstream.resume()
        }, slowness).unref()
      } else client.write(bytes)
    })
    client.on('close', () => upstream.end())
    upstream.on('close', () => client.end())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    break(...how) {
      next = how.flatMap(each => (each === undefined ? [] : each === 'twice' ? ['after', 'before'] : [each]))
    },
    away(now) {
      isAway = now
      if (now) for (const socket of sockets) socket.destroy()
    }
  }
}
