// Syslog (RFC 5424 and RFC 3164) over UDP, TCP and TLS: a row for each message.
import { definePlugin, parseZone } from 'weir-server'
import { options } from './options.js'
import { createReceive } from './receive.js'
import { serveFrames } from './stream.js'

export default definePlugin({
  name: 'syslog',
  api: 1,
  prefix: '/v1/syslog',
  servers: [],
  config: options,
  setup(core, config) {
    const zone = parseZone(config.timezone)
    if (zone === undefined) throw new Error(`timezone ${config.timezone} is unknown: expected an IANA name or +hh:mm`)
    return createReceive(core, config, zone)
  },
  listeners: (_core, { udp, tcp, max_message }, receive) => [
    {
      transport: 'udp',
      name: 'udp',
      options: udp,
      receive: (datagrams, ctx) =>
        receive.store(
          ctx,
          datagrams.map(({ data, from }) => ({ bytes: data, from }))
        )
    },
    {
      transport: 'tcp',
      name: 'tcp',
      options: tcp,
      serve: connection => serveFrames(connection, max_message, receive)
    }
  ]
})
