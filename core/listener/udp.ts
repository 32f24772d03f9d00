// A UDP listener: datagrams wait in a bounded queue and are passed on in batches.
import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { parseAddress } from '../http/address.ts'
import { beginWork } from '../pace.ts'
import type { Datagram, UdpListener } from './listener.ts'
import type { ListenerScope, OpenListener } from './open.ts'

/** Approximate bytes of datagrams passed to one call. */
const batchSize = 2 ** 20
/** Approximate bytes a datagram takes in memory besides its content. */
const overhead = 200
/** Receive buffer requested from the operating system, which may give less; holds what arrives while the event loop is busy. */
const kernelBuffer = 8 * 2 ** 20

export async function openUdp({ options, receive }: UdpListener, scope: ListenerScope): Promise<OpenListener> {
  const { host, port } = parseAddress(options.addr)
  const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4' })
  const end = new AbortController()
  const ctx = scope.context(undefined, AbortSignal.any([end.signal, scope.stopping]))
  let queue: Datagram[] = []
  let queued = 0
  let isDropping = false
  let working: Promise<void> | undefined

  const work = async () => {
    while (queue.length > 0 && !scope.stopping.aborted) {
      const batch = takeBatch()
      beginWork(ctx.signal)
      try {
        await receive(batch, ctx)
      } catch (error) {
        scope.failed(error, batch[0]?.from)
      }
    }
    working = undefined
    if (isDropping) scope.report('ok')
    isDropping = false
  }
  const takeBatch = () => {
    let bytes = 0
    let count = 0
    while (count < queue.length && bytes < batchSize) bytes += queue[count++]!.data.length + overhead
    const batch = queue.slice(0, count)
    queue = queue.slice(count)
    queued -= bytes
    return batch
  }
  socket.on('message', (data, { address }) => {
    const bytes = data.length + overhead
    if (queued + bytes > options.max_queue) {
      scope.dropped('queue')
      if (!isDropping) scope.report('degraded', 'more datagrams arrive than can be stored: some are dropped')
      isDropping = true
      return
    }
    scope.received(data.length)
    queued += bytes
    queue.push({ data, from: address })
    // Waits for one turn of the event loop, to gather more datagrams.
    working ??= new Promise<void>(resolve => setImmediate(resolve)).then(work)
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.bind({ address: host, port }, () => {
      socket.off('error', reject)
      resolve()
    })
  })
  socket.on('error', error => scope.report('failed', error.message))
  try {
    socket.setRecvBufferSize(kernelBuffer)
  } catch {
    // If the system refuses the size, its default remains.
  }
  const bound = socket.address()
  return {
    address: { host: bound.address, port: bound.port },
    async close() {
      await new Promise<void>(resolve => socket.close(resolve))
      await working
      end.abort()
    }
  }
}
