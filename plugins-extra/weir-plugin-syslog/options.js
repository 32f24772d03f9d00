// What can be configured in `[plugins.syslog]`.
import { count, flag, size, Type, tcpOptions, udpOptions } from 'weir-server'

/** Sizes are bytes. */
export const options = Type.Object({
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
  max_columns: count(200, 'Columns of the table; structured data that would need further ones goes to the JSON column.')
})

/** @typedef {import('weir-server').Static<typeof options>} Options */
