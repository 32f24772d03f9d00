// Urlencoded forms, for the plugins whose routes take their parameters from them.
import type { FastifyRequest } from 'fastify'
import { DbError } from '../errors.ts'
import { Pace, runPaced } from '../pace.ts'
import type { PluginApp } from '../plugin.ts'
import { readBody } from './body.ts'
import { readParameters } from './query.ts'

/**
 * Makes `req.body` a record of `Parameters` where a request of this plugin brings a form; its field `db` names the database. Without it
 * forms are bytes like any other body: clients that never think of content types send everything as a form.
 */
export function acceptForms(app: PluginApp<never, never>): void {
  const { http } = app.core.config
  app.addContentTypeParser('application/x-www-form-urlencoded', async (request: FastifyRequest) => {
    const limit = smaller(http.body_limit, http.max_form_size)
    const tooLarge = limit === http.body_limit ? undefined : formTooLarge
    const body = await readBody(request, limit, tooLarge)
    const max = http.max_form_fields || Number.POSITIVE_INFINITY
    return runPaced(new Pace(request.lifetime.signal), readParameters(body ?? Buffer.alloc(0), max))
  })
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
