// A proxy before a cluster. It answers some statements itself, to imitate another version or a user with fewer rights.
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Buffer | string
}

/** Returns its address. `answer` is asked for each statement; what it leaves undefined goes on to `url`. */
export async function answeringProxy(
  t: Pick<Test, 'teardown'>,
  url: string,
  answer: (sql: string, request: { readonly url: string; readonly body: Buffer }) => Answer | undefined
): Promise<string> {
  const server = createServer(async (incoming, reply) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const to = new URL(incoming.url!, url)
    const own = answer(to.searchParams.get('query') ?? body.toString(), { url: incoming.url!, body })
    if (own !== undefined) return void reply.writeHead(own.status ?? 200, own.headers).end(own.body)
    const { method, headers } = incoming
    const passed = request(to, { method: method!, headers }, from => {
      reply.writeHead(from.statusCode!, from.headers)
      from.pipe(reply)
    })
    passed.on('error', () => reply.destroy())
    passed.end(body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** One row of one text, as the cluster's Native format has it. */
export function textRow(name: string, value: string): Buffer {
  const text = (each: string) => Buffer.concat([Buffer.of(Buffer.byteLength(each)), Buffer.from(each)])
  return Buffer.concat([Buffer.of(1, 1), text(name), text('String'), text(value)])
}

/** An error of the cluster. */
export function exception(number: number, said: string): Answer {
  const headers = { 'x-clickhouse-exception-code': String(number) }
  return { status: 500, headers, body: `Code: ${number}. DB::Exception: ${said}` }
}
