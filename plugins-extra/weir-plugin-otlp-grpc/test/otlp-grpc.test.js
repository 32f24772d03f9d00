import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { test } from 'node:test'
import { ProtoReader, ProtoWriter } from 'weir-server'
import { bootServer, pluginContract } from 'weir-server/testing'
import plugin from '../index.js'

test('what every plugin must do', async t => {
  await pluginContract(t, { plugin, options: 'grpc.addr = "127.0.0.1:0"' })
})

/**
 * Calls a method as gRPC does, over HTTP/2: a byte that says whether the message is compressed, its length in four bytes, the message.
 * @param {number} port
 * @param {string} path
 * @param {Uint8Array} message
 */
async function call(port, path, message) {
  const session = connect(`http://127.0.0.1:${port}`)
  try {
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      'x-svc-log-table-name': 'app'
    })
    const head = Buffer.alloc(5)
    head.writeUInt32BE(message.length, 1)
    stream.end(Buffer.concat([head, message]))
    /** @type {Record<string, unknown>} */
    let headers = {}
    stream.on('response', given => {
      headers = { ...headers, ...given }
    })
    stream.on('trailers', given => {
      headers = { ...headers, ...given }
    })
    /** @type {Buffer[]} */
    const pieces = []
    stream.on('data', piece => pieces.push(piece))
    await once(stream, 'end')
    return { status: headers['grpc-status'], message: Buffer.concat(pieces).subarray(5) }
  } finally {
    session.close()
  }
}

test('a log record is stored, and what cannot be read is refused', async () => {
  const server = await bootServer('[plugins.otlpgrpc.grpc]\naddr = "127.0.0.1:0"\n', { plugins: [plugin] })
  try {
    const { port } = server.listeners.get('otlpgrpc.grpc') ?? assert.fail()
    const path = '/opentelemetry.proto.collector.logs.v1.LogsService/Export'
    // ExportLogsServiceRequest.resource_logs.scope_logs.log_records.body.string_value
    const body = new ProtoWriter().text(1, 'order is late').bytes
    let message = new ProtoWriter().data(5, body).bytes
    for (const field of [2, 2, 1]) message = new ProtoWriter().data(field, message).bytes
    const taken = await call(port, path, message)
    assert.equal(taken.status, '0')
    assert.equal(new ProtoReader(taken.message).next(), false, 'nothing was left out')
    const answer = await server.main.inject('/v1/sql?sql=SELECT body FROM app')
    assert.equal(answer.statusCode, 200, answer.body)
    assert.deepEqual(answer.json().output[0].records.rows, [['order is late']])
    assert.equal((await call(port, path, Buffer.from([0x0a, 9]))).status, '3', 'INVALID_ARGUMENT')
  } finally {
    await server.discard()
  }
})
