import { definePlugin, Type, tcpOptions, udpOptions } from 'weir-server'
import { decode } from './decode.js'

export default definePlugin({
  name: 'mine',
  prefix: '/v1/mine',
  servers: [],
  config: Type.Object({
    tcp: tcpOptions('127.0.0.1:7000', 'Lines over TCP.'),
    udp: udpOptions('', 'Lines over UDP.')
  }),
  setup: core => ({
    /** @param {import('weir-server').RequestContext} ctx @param {Buffer} lines */
    store: (ctx, lines) => core.store.write(ctx, [decode(lines, 'numbers', 'value')])
  }),
  listeners: (_core, { tcp, udp }, service) => [
    {
      transport: 'tcp',
      name: 'tcp',
      options: tcp,
      async serve({ ctx, chunks, write }) {
        for await (const chunk of chunks()) {
          await service.store(ctx, chunk)
          await write('stored\n')
        }
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
