// Listeners: sockets that a plugin has beside the two HTTP servers. The core opens, limits and closes them; the plugin reads what arrives.
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

/** The options table of a TCP listener, for a plugin's `config`; `addr` is the default address, '' for none. */
export const tcpOptions = (addr: string, description: string) =>
  Type.Object({ ...common(addr), ...connections() }, { additionalProperties: false, description })

/** The options table of a gRPC listener, for a plugin's `config`; `addr` is the default address, '' for none. */
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

/** The options table of a UDP listener, for a plugin's `config`; `addr` is the default address, '' for none. */
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

/** A connection of a TCP listener. The socket is read only while the plugin iterates `chunks`. */
export interface Connection {
  /** The context of the connection. Its signal fires when the client disconnects or the server stops waiting. Its user may only write. */
  readonly ctx: RequestContext
  /** The received bytes. Ends when the client ends, and when the server stops, after everything received until then. */
  chunks(): AsyncIterable<Buffer>
  /** Resolves when the socket can take more. */
  write(bytes: Uint8Array | string): Promise<void>
}

/** A UDP packet. */
export interface Datagram {
  readonly data: Buffer
  /** Address of the sender. */
  readonly from: string
}

interface ListenerBase {
  /** Key of its table in the plugin's options, and metric label. */
  readonly name: string
}

/** Calls `serve` for each connection, which is closed when the call ends. A DbError it throws is counted in `svc_refused_total`. */
export interface TcpListener extends ListenerBase {
  readonly transport: 'tcp'
  readonly options: TcpOptions
  serve(connection: Connection): Promise<void>
}

/** Passes all waiting datagrams, up to about a megabyte, to one call of `receive`, and waits for it before the next. */
export interface UdpListener extends ListenerBase {
  readonly transport: 'udp'
  readonly options: UdpOptions
  receive(datagrams: readonly Datagram[], ctx: RequestContext): Promise<void>
}

/** A unary gRPC call: one request message, one response message. */
export interface GrpcCall {
  /**
   * The context of the call. Its signal fires when the client disconnects, its deadline (`grpc-timeout`, else `http.timeout`) is over or the
   * server stops waiting. Its user is the authenticated one, or, if no user provider is configured, one who may only write.
   */
  readonly ctx: RequestContext
  /** The metadata, names in lower case. */
  readonly headers: IncomingHttpHeaders
  /** The decompressed message. */
  readonly message: Buffer
}

/**
 * gRPC over HTTP/2. A call is refused before its message is read if its user may not write. A DbError thrown by a method becomes a status,
 * with RetryInfo if a retry may succeed, and is counted in `svc_refused_total`.
 */
export interface GrpcListener extends ListenerBase {
  readonly transport: 'grpc'
  readonly options: GrpcOptions
  /** Methods by path, `/package.Service/Method`; each resolves to the response message. */
  readonly methods: Readonly<Record<string, (call: GrpcCall) => Promise<Uint8Array>>>
}

/** A socket of a plugin, as its `listeners` returns it. */
export type Listener = TcpListener | UdpListener | GrpcListener

/** The address a listener is bound to. */
export interface ListenerAddress {
  readonly host: string
  readonly port: number
}
