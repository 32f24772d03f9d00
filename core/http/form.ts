// URL-encoded forms, for plugins whose routes read parameters from them.
import type { FastifyRequest } from 'fastify'
import { DbError } from '../errors.ts'
import { Pace, runPaced } from '../pace.ts'
import type { PluginApp } from '../plugin.ts'
import { readBody } from './body.ts'
import { readParameters } from './query.ts'

/**
 * Parses URL-encoded forms of this plugin's requests: `req.body` becomes a record of `Parameters`, and the field `db` names the database.
 * Without this call forms are bytes like any other body, because some clients send everything with the content type of a form.
 */
export function acceptForms(app: PluginApp<never, never>): void {
  const { http } = app.core.config
  app.addContentTypeParser('application/x-www-form-urlencoded', async (request: FastifyRequest) => {
    const limit = smaller(http.body_limit, http.max_form_size)
    const tooLarge = limit === http.body_limit ? undefined : formTooLarge
    const body = await readBody(request, limit, tooLarge)
    const max = http.max_form_fields || undefined
    return runPaced(new Pace(request.lifetime), readParameters(body ?? Buffer.alloc(0), max))
  })
}

/** The smaller of two limits, where 0 means none. */
function smaller(a: number, b: number): number {
  return a === 0 || b === 0 ? Math.max(a, b) : Math.min(a, b)
}

function formTooLarge(limit: number, received: string): DbError {
  return new DbError('InvalidArguments', `the form is larger than ${limit} bytes (http.max_form_size): ${received}`, {
    status: 413
  })
}
