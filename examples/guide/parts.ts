import type {
  Answer,
  Connection,
  Core,
  Credentials,
  Datagram,
  EncodeOptions,
  GrpcCall,
  Listener,
  PluginApp,
  PluginSpec,
  ResultFormat,
  Static,
  User,
  WireError
} from 'weir-server'
import { DbError, definePlugin, grpcOptions, Type, tcpOptions, udpOptions } from 'weir-server'

const config = Type.Object({
  tcp: tcpOptions('', 'Bytes over TCP.'),
  udp: udpOptions('', 'Bytes over UDP.'),
  grpc: grpcOptions('', 'Bytes over gRPC.')
})

type Options = Static<typeof config>

/** Counts bytes, wherever they come from. */
class Counter {
  bytes = 0
}

function setup(core: Core): Counter {
  core.formats.add('rows', rows)
  return new Counter()
}

/** A result format that tells how many rows there are. */
const rows: ResultFormat = { header: 'rows', contentType: 'text/plain', several: true, encode }

async function* encode(answers: readonly Answer[], { elapsed }: EncodeOptions): AsyncGenerator<string> {
  for (const answer of answers) {
    let count = answer.kind === 'affected' ? answer.rows : 0
    if (answer.kind === 'records') for await (const batch of answer.batches()) count += batch.rows
    yield `${count} rows after ${elapsed()} ms\n`
  }
}

function listeners(_core: Core, { tcp, udp, grpc }: Options, counter: Counter): readonly Listener[] {
  const serve = async ({ chunks, write }: Connection) => {
    for await (const chunk of chunks()) counter.bytes += chunk.length
    await write(`${counter.bytes}\n`)
  }
  const receive = async (datagrams: readonly Datagram[]) => {
    for (const { data } of datagrams) counter.bytes += data.length
  }
  const add = async ({ message }: GrpcCall) => {
    counter.bytes += message.length
    return message
  }
  return [
    { transport: 'tcp', name: 'tcp', options: tcp, serve },
    { transport: 'udp', name: 'udp', options: udp, receive },
    { transport: 'grpc', name: 'grpc', options: grpc, methods: { '/mine.v1.Bytes/Add': add } }
  ]
}

function routes(app: PluginApp<never, never, { mine: Counter }>): void {
  app.get('', { config: { action: 'read' } }, () => ({ bytes: app.services.mine.bytes }))
  app.get('/wrong', { config: { action: 'read' } }, () => {
    throw new DbError('InvalidArguments', 'nothing is right here')
  })
}

/** With `user_provider = "plugin:mine"`. */
function authenticate(credentials: Credentials): User {
  if (credentials.kind === 'bearer' && credentials.token === 'secret') return { name: 'reader', mode: 'ro' }
  throw new DbError('UserPasswordMismatch', 'nobody has this token')
}

/** The protocol's own errors. */
const formatError: NonNullable<PluginSpec['formatError']> = ({ status, message }): WireError => ({
  status,
  contentType: 'text/plain',
  body: `${message}\n`
})

export default definePlugin({
  name: 'mine',
  prefix: '/v1/mine',
  servers: ['main'],
  config,
  setup,
  routes,
  listeners,
  authenticate,
  formatError
})
