// What corpora of metrics, spans and log records have in common: attributes, times, and the log records themselves.
import { ProtoWriter } from '../core/wire/index.ts'
import { type Corpus, sequence } from './corpus.ts'

export type Pairs = readonly (readonly [string, string | number])[]

/** Attributes in a field: texts and integers. */
export function attributes(out: ProtoWriter, field: number, pairs: Pairs): ProtoWriter {
  for (const [key, value] of pairs) {
    const any = typeof value === 'string' ? new ProtoWriter().text(1, value) : new ProtoWriter().uint(3, value)
    out.data(field, new ProtoWriter().text(1, key).data(2, any.bytes).bytes)
  }
  return out
}

export function fixed64(out: ProtoWriter, field: number, value: bigint): ProtoWriter {
  return out.bits64(field, Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)))
}

const routes = ['/', '/cart', '/cart/items', '/products/list', '/account', '/assets/site.css']
const severities = [
  ['INFO', 9],
  ['INFO', 9],
  ['INFO', 9],
  ['DEBUG', 5],
  ['WARN', 13],
  ['ERROR', 17]
] as const

/** Log records of services of a shop, six attributes each, a service's own in each body. */
export function recordCorpus(records: number, perBody = 1000): Corpus {
  const random = sequence(3)
  const id = (bytes: number) => Buffer.from(Array.from({ length: bytes }, () => Math.floor(random() * 256)))
  const start = BigInt(Date.now() - 3_600_000) * 1_000_000n
  const bodies: Buffer[] = []
  for (let at = 0; at < records; at += perBody) {
    const service = `shop-${Math.floor(random() * 12)}`
    const scope = new ProtoWriter().data(1, new ProtoWriter().text(1, `lib-${service}`).text(2, '1.4.0').bytes)
    for (let i = at; i < Math.min(records, at + perBody); i++) {
      const route = routes[Math.floor(random() * routes.length)]!
      const took = Math.floor(random() * 700)
      const [text, number] = severities[Math.floor(random() * severities.length)]!
      const record = fixed64(new ProtoWriter(), 1, start + BigInt(i) * 10_000n)
        .uint(2, number)
        .text(3, text)
      const address = `172.16.${i % 256}.${Math.floor(random() * 256)}`
      record.data(5, new ProtoWriter().text(1, `${route} answered to ${address} after ${took} ms`).bytes)
      attributes(record, 6, [
        ['http.route', route],
        ['http.response.status_code', 200],
        ['client.address', address],
        ['duration_ms', took],
        ['thread.name', `worker-${i % 16}`],
        ['code.function', 'handle']
      ])
      record.data(9, id(16)).data(10, id(8))
      scope.data(2, fixed64(record, 11, start + BigInt(i) * 10_000n).bytes)
    }
    const resource = attributes(new ProtoWriter(), 1, [
      ['service.name', service],
      ['service.version', '2.1.3'],
      ['host.name', `node-${at % 12}.internal`],
      ['k8s.pod.name', `${service}-7d9f-${at % 5}`]
    ])
    const entry = new ProtoWriter().data(1, resource.bytes).data(2, scope.bytes)
    bodies.push(Buffer.from(new ProtoWriter().data(1, entry.bytes).bytes))
  }
  return { name: 'records', headers: { 'Content-Type': 'application/x-protobuf' }, bodies, items: records }
}
