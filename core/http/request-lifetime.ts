// The lifetime of a request: its abort signal, time limit, and the memory of its body.
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { parseDuration } from '../config/units.ts'
import { DbError } from '../errors.ts'
import type { LoopWatch, LoopWork } from '../loop.ts'
import { onResume } from '../pace.ts'
import { after } from '../timer.ts'
import type { Budget, Lease } from './budget.ts'

interface RequestLifetime {
  /** Fires when the client disconnects, the time limit is reached or the server stops; the reason is a DbError. */
  readonly signal: AbortSignal
  readonly lease: Lease
  /** Tells the event loop watch that this request runs on it from now on. */
  atWork(): void
  /** Bytes of the body as they were received. */
  received: number
  /** Ends the wait for the body, which is bounded by `http.timeout` also where the answer may take longer. */
  bodyArrived(): void
  /** Returns the memory of a raw body for reuse; call it when the route no longer reads the body. */
  returnBody(): void
  /** Runs a function when the response was sent or the client is gone. */
  onEnd(run: () => void): void
}

declare module 'fastify' {
  interface FastifyRequest {
    lifetime: RequestLifetime
  }
}

interface LifetimeOptions {
  /** `timeout`: milliseconds until the response headers must be sent, 0 for no limit. */
  readonly http: { readonly timeout: number }
  readonly budget: Budget
  readonly loop: Pick<LoopWatch, 'note'>
  /** Fires when running requests must end. */
  readonly stopping: AbortSignal
}

/** Gives every request its `lifetime`, and answers requests whose signal fires: the handler continues, its result is dropped. */
export function limitLifetimes(app: FastifyInstance, { http, budget, loop, stopping }: LifetimeOptions): void {
  app.decorateRequest('lifetime', null as unknown as RequestLifetime)
  app.addHook('onRequest', (request, reply, done) => {
    const controller = new AbortController()
    const limit = timeLimit(request, http.timeout)
    const late = () => {
      if (!reply.raw.headersSent) controller.abort(tooLate(limit))
    }
    const timer = limit > 0 ? after(limit, late) : undefined
    // A route that may take any time to answer still waits no longer for its body, nor does one whose client asked for more time.
    const isLonger = http.timeout > 0 && (limit === 0 || limit > http.timeout)
    const bodyTimer = isLonger ? after(http.timeout, () => controller.abort(tooSlow(http.timeout))) : undefined
    const stop = () => controller.abort(new DbError('Suspended', 'the server is stopping', { retryAfter: 1 }))
    const lease = budget.lease(() => request.user?.name ?? '')
    const ends: (() => void)[] = []
    stopping.addEventListener('abort', stop)
    reply.raw.once('close', () => {
      timer?.stop()
      bodyTimer?.stop()
      stopping.removeEventListener('abort', stop)
      // Runs first, so that requests waiting for memory leave the queue before memory is returned.
      if (!reply.raw.writableFinished) controller.abort(new DbError('Cancelled', 'the client closed the connection'))
      lease.release()
      for (const run of ends) run()
    })
    const work = workOf(request)
    const atWork = () => loop.note(work)
    onResume(controller.signal, atWork)
    request.lifetime = {
      signal: controller.signal,
      lease,
      atWork,
      received: 0,
      bodyArrived: () => bodyTimer?.stop(),
      returnBody: () => {},
      onEnd: run => void ends.push(run)
    }
    atWork()
    done()
  })
  app.addHook('preValidation', ({ lifetime }, _reply, done) => {
    lifetime.bodyArrived()
    lifetime.atWork()
    done()
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.lifetime?.atWork()
    done(null, payload)
  })
  app.addHook('onRoute', route => {
    route.handler = endWithSignal(route.handler)
  })
}

function timeLimit(request: FastifyRequest, standard: number): number {
  const header = request.headers['x-svc-timeout']
  const asked = typeof header === 'string' ? parseDuration(header) : undefined
  return asked ?? (request.routeOptions.config.timeLimit === false ? 0 : standard)
}

function tooLate(limit: number): DbError {
  return new DbError('DeadlineExceeded', `no answer within ${limit} ms (http.timeout or header x-svc-timeout)`, {
    status: 408
  })
}

function tooSlow(limit: number): DbError {
  return new DbError('DeadlineExceeded', `the body did not arrive within ${limit} ms (http.timeout)`, { status: 408 })
}

function workOf(request: FastifyRequest): LoopWork {
  return {
    facts: () => ({
      plugin: request.routeOptions.config.plugin ?? 'core',
      path: request.routeOptions.url ?? 'unknown',
      method: request.method,
      user: request.user?.name ?? '',
      request: request.id
    })
  }
}

function endWithSignal(handler: RouteHandlerMethod): RouteHandlerMethod {
  return function (request, reply) {
    request.lifetime.atWork()
    const result: unknown = handler.call(this, request, reply)
    return result instanceof Promise ? before(request.lifetime.signal, result, reply) : result
  }
}

function before(signal: AbortSignal, result: Promise<unknown>, reply: FastifyReply): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      // The answer is on its way, and its stream ends with the signal. An error could not be answered any more.
      if (reply.raw.headersSent) return
      reject(signal.reason)
      // The handler does not know that the request was answered. Fastify would warn of a second answer.
      reply.raw.once('finish', () => {
        reply.send = () => reply
      })
    }
    const removeListener = () => signal.removeEventListener('abort', stop)
    result.finally(removeListener).then(resolve, reject)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop)
  })
}
