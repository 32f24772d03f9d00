// Takes in lines by TCP and UDP.
import { count, DbError, definePlugin, Type, tcpOptions, udpOptions } from 'weir-server'
import { decode } from './decode.js'

export default definePlugin({
  name: 'mine',
  api: 1,
  prefix: '/v1/mine',
  servers: [],
  config: Type.Object({
    table: Type.String({ default: 'readings', minLength: 1, description: 'Table of what arrives.' }),
    max_line: count(4096, 'Bytes of one line; a longer one ends the connection.'),
    tcp: tcpOptions('', 'Lines over TCP.'),
    udp: udpOptions('', 'Lines over UDP, any number in a datagram.')
  }),
  setup(core, { table }) {
    return {
      /** @param {import('weir-server').RequestContext} ctx @param {Buffer} lines */
      async store(ctx, lines) {
        const decoded = decode(lines, 'path', Date.now())
        if (decoded.rows > 0) await core.store.write(ctx, [{ table, ...decoded }])
      }
    }
  },
  listeners: (_core, { tcp, udp, max_line }, service) => [
    {
      transport: 'tcp',
      name: 'tcp',
      options: tcp,
      async serve({ ctx, chunks }) {
        let rest = Buffer.alloc(0)
        // While a write is under way nothing is read: the sender waits.
        for await (const chunk of chunks()) {
          const bytes = Buffer.concat([rest, chunk])
          const end = bytes.lastIndexOf('\n') + 1
          await service.store(ctx, bytes.subarray(0, end))
          rest = bytes.subarray(end)
          if (rest.length > max_line)
            throw new DbError('InvalidArguments', `a line is longer than max_line (${max_line})`)
        }
        await service.store(ctx, rest)
      }
    },
    {
      transport: 'udp',
      name: 'udp',
      options: udp,
      async receive(datagrams, ctx) {
        for (const { data } of datagrams) await service.store(ctx, data)
      }
    }
  ]
})
