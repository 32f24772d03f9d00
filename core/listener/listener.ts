// Listeners: sockets that a plugin has beside the two HTTP servers. The plugin reads what arrives, the core opens, limits and closes.
import type { IncomingHttpHeaders } from 'node:http'
import { type Static, Type } from 'typebox'
import { count, duration, size } from '../config/schema.ts'
import type { RequestContext } from '../http/context.ts'

const text = (description: string) => Type.String({ default: '', description })

const common = (addr: string) => ({
  addr: Type.String({
    default: addr,
    description: '`host:port` to listen on. Empty: the listener is off.',
    pattern: '^$|^(\\[[0-9A-Fa-f:.%]+\\]|[^:\\s\\[\\]]+):\\d{1,5}$',
    expected: 'host:port, for example 127.0.0.1:514, or nothing'
  }),
  db: Type.String({ default: 'public', minLength: 1, description: 'Database of what arrives.' })
})

const connections = () => ({
  max_connections: count(1_000, 'Connections at the same time; further ones are closed, and counted.'),
  idle_timeout: duration(600_000, 'A connection that sends nothing for this time is closed; `0`: never.'),
  cert_path: text('Certificate and the chain of its authority, PEM. With it the listener speaks TLS and nothing else.'),
  key_path: text('Private key of the certificate, PEM.'),
  client_ca_path: text('Authorities of certificates that clients must have, PEM. Empty: none are asked for.')
})

/** The table of a TCP listener, for the `config` of a plugin; `addr` is the default address, '' for none. */
export const tcpOptions = (addr: string, description: string) =>
  Type.Object({ ...common(addr), ...connections() }, { additionalProperties: false, description })

/** The table of a gRPC listener, for the `config` of a plugin. */
export const grpcOptions = (addr: string, description: string) =>
  Type.Object(
    {
      ...common(addr),
      ...connections(),
      max_calls: count(100, 'Calls of one connection at the same time; its client waits with further ones.'),
      max_message: size(
        64 * 2 ** 20,
        'Bytes of one message, before and after its compression; a larger one is refused.',
        {
          minimum: 1
        }
      )
    },
    { additionalProperties: false, description }
  )

/** The table of a UDP listener, for the `config` of a plugin. */
export const udpOptions = (addr: string, description: string) =>
  Type.Object(
    {
      ...common(addr),
      max_queue: size(16 * 2 ** 20, 'Bytes of datagrams that may wait; further ones are dropped, and counted.', {
        minimum: 65_536
      })
    },
    { additionalProperties: false, description }
  )

export type TcpOptions = Static<ReturnType<typeof tcpOptions>>
type UdpOptions = Static<ReturnType<typeof udpOptions>>
type GrpcOptions = Static<ReturnType<typeof grpcOptions>>

/** A connection of a TCP listener. Iterating gives what arrives; nothing is read from the socket while nobody asks. */
export interface Connection {
  /** Its signal fires when the client is gone or the server does not wait any longer. Writes as a user who may only write. */
  readonly ctx: RequestContext
  /** Ends when the client ends, and when the server stops: what had arrived until then is given before. */
  chunks(): AsyncIterable<Buffer>
  /** Resolves when the socket takes more. */
  write(bytes: Uint8Array | string): Promise<void>
}

/** What one packet of UDP brought. */
export interface Datagram {
  readonly data: Buffer
  /** Address of the sender. */
  readonly from: string
}

interface ListenerBase {
  /** Key of its table among the plugin's options, metric label. */
  readonly name: string
}

/** One call of `serve` for each connection, which ends when the call does. A DbError it throws is counted in `svc_refused_total`. */
export interface TcpListener extends ListenerBase {
  readonly transport: 'tcp'
  readonly options: TcpOptions
  serve(connection: Connection): Promise<void>
}

/** All datagrams that wait at a time, about a megabyte at most, go to one call of `receive`; the next call waits for it. */
export interface UdpListener extends ListenerBase {
  readonly transport: 'udp'
  readonly options: UdpOptions
  receive(datagrams: readonly Datagram[], ctx: RequestContext): Promise<void>
}

/** A unary call of a gRPC listener: one message asks, one answers. */
export interface GrpcCall {
  /**
   * Its signal fires when the client is gone, its deadline (`grpc-timeout`, else `http.timeout`) is over or the server does not wait any
   * longer. The user is the one the metadata proves to be, where the server knows users; else one who may only write.
   */
  readonly ctx: RequestContext
  /** The metadata, names in lower case. */
  readonly headers: IncomingHttpHeaders
  /** The message as it was before its compression. */
  readonly message: Buffer
}

/**
 * gRPC over HTTP/2. A call is refused before its message is read where its user may not write. A DbError that a method throws becomes a
 * status, with RetryInfo where a later try may succeed, and is counted in `svc_refused_total`.
 */
export interface GrpcListener extends ListenerBase {
  readonly transport: 'grpc'
  readonly options: GrpcOptions
  /** Resolve to the message of the answer; by path, `/package.Service/Method`. */
  readonly methods: Readonly<Record<string, (call: GrpcCall) => Promise<Uint8Array>>>
}

/** A socket of a plugin, as its `listeners` tells it. */
export type Listener = TcpListener | UdpListener | GrpcListener

/** Where a listener really listens. */
export interface ListenerAddress {
  readonly host: string
  readonly port: number
}
