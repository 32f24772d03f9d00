// Urlencoded forms, for the plugins whose routes take their parameters from them.
import { Readable } from 'node:stream'
import formbody from '@fastify/formbody'
import type { FastifyRequest } from 'fastify'
import { DbError } from '../errors.ts'
import type { PluginApp } from '../plugin.ts'
import { readBody } from './body.ts'
import { parseParameters } from './query.ts'

/**
 * Makes `req.body` a record of `Parameters` where a request of this plugin brings a form; its field `db` names the database. Without it
 * forms are bytes like any other body: clients that never think of content types send everything as a form.
 */
export function acceptForms(app: PluginApp<never, never>): void {
  const { http } = app.core.config
  // The parser reads a stream; it gets one that has passed the limits already.
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (!isForm(request)) return done(null, payload)
    const limit = smaller(http.body_limit, http.max_form_size)
    const tooLarge = limit === http.body_limit ? undefined : formTooLarge
    readBody(request, limit, tooLarge).then(body => done(null, streamOf(request, body)), done)
  })
  app.register(formbody, { parser: text => parseParameters(text, http.max_form_fields || undefined) })
}

function isForm({ headers }: FastifyRequest): boolean {
  return /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '')
}

function streamOf({ life }: FastifyRequest, body: Buffer | undefined) {
  return Object.assign(Readable.from(body === undefined ? [] : [body]), { receivedEncodedLength: life.received })
}

/** Of two limits of which 0 is none. */
function smaller(a: number, b: number): number {
  return a === 0 || b === 0 ? Math.max(a, b) : Math.min(a, b)
}

function formTooLarge(limit: number, received: string): DbError {
  return new DbError('InvalidArguments', `the form is larger than ${limit} bytes (http.max_form_size): ${received}`, {
    status: 413
  })
}
