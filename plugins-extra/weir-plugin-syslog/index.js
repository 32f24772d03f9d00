// Syslog (RFC 5424 and RFC 3164) over UDP, TCP and TLS: a row for each message.

import { Type } from 'typebox'
import { count, definePlugin, flag, parseZone, size, tcpOptions, udpOptions } from 'weir-server'
import { createReceive } from './receive.js'
import { serveFrames } from './stream.js'

export default definePlugin({
  name: 'syslog',
  prefix: '/v1/syslog',
  servers: [],
  config: Type.Object({
    udp: udpOptions('', 'Messages over UDP, one in each datagram (RFC 5426).'),
    tcp: tcpOptions('', 'Messages over TCP, or TLS with a certificate (RFC 6587, RFC 5425).'),
    table: Type.String({ default: 'syslog', minLength: 1, description: 'Table of the messages.' }),
    timezone: Type.String({
      default: 'UTC',
      description: 'Zone of times without an offset, which RFC 3164 has: an IANA name or `+hh:mm`.'
    }),
    structured_columns: flag(
      true,
      'Each parameter of structured data is a column `sd_ID_NAME`; otherwise, and beyond `max_columns`, all are one JSON column.'
    ),
    max_message: size(64 * 1024, 'Bytes of one message; longer ones are left out, and counted.', { minimum: 480 }),
    max_columns: count(
      200,
      'Columns of the table; structured data that would need further ones goes to the JSON column.'
    ),
    max_series: count(1_000_000, 'Series (host, application, facility, severity) of the table; more are refused.'),
    max_tables: count(100_000, 'Tables of the database; messages that would need a further one are refused.')
  }),
  setup(core, config) {
    const zone = parseZone(config.timezone)
    if (zone === undefined) throw new Error(`timezone ${config.timezone} is unknown: expected an IANA name or +hh:mm`)
    return createReceive(core, config, zone)
  },
  listeners: (_, { udp, tcp, max_message }, receive) => [
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
