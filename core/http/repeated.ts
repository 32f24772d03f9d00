// Refuses requests that bring a header twice where only one value has a meaning: what one reader takes from the first, another takes from the last.
import type { FastifyInstance } from 'fastify'
import { DbError } from '../errors.ts'

/** Headers with one value by which the server decides. Of `Host`, `Authorization`, `Content-Type` and `Referer` Node drops all values but the first. */
const single: ReadonlySet<string> = new Set(['host', 'authorization', 'content-type', 'origin', 'referer', 'range'])
const singlePrefixes = ['x-svc-', 'sec-fetch-']
/** A list, which may be parted into several headers. */
const list = 'x-svc-hints'

/** Refuses requests of HTTP/1.1 with such a header. Call it before anything reads them. */
export function refuseRepeated(app: FastifyInstance): void {
  app.addHook('onRequest', ({ headers, raw }, _reply, done) => {
    checkRepeated(headers, raw.rawHeaders)
    done()
  })
}

/**
 * `headers`: by name in lower case; `raw`: each name followed by its value, as they were sent. Throws DbError `InvalidArguments` for a header
 * that came more than once and may not.
 */
export function checkRepeated(headers: object, raw: readonly string[]): void {
  // Most requests repeat none.
  if (Object.keys(headers).length * 2 === raw.length) return
  const seen = new Set<string>()
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase()
    if (seen.has(name) && isSingle(name))
      throw new DbError('InvalidArguments', `header ${name} may be sent once only, the request has several`)
    seen.add(name)
  }
}

function isSingle(name: string): boolean {
  return name !== list && (single.has(name) || singlePrefixes.some(prefix => name.startsWith(prefix)))
}
