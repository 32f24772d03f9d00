// Answers what is no HTTP request, before it reaches any route.
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Core } from '../core.ts'
import { DbError, errorCodes } from '../errors.ts'

/** What Node says of bytes that are no request. */
interface Malformed extends Error {
  readonly code?: string
  /** The parser's own words. */
  readonly reason?: string
}

/**
 * A function that answers with the common body of errors, counts the refusal and closes the connection. `isAnswering`: whether an answer to an
 * earlier request is under way on it; then nothing is written, because it would be taken for a part of that answer.
 */
export function refuseMalformed(
  { config, countRefused }: Pick<Core, 'config' | 'countRefused'>,
  isAnswering: (socket: Socket) => boolean
): (error: Malformed, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const refusal = refusalOf(error, config.http.max_header_size)
    countRefused('core', refusal)
    if (socket.writable && !isAnswering(socket)) socket.write(answerOf(refusal))
    socket.destroySoon()
  }
}

function refusalOf({ code, reason }: Malformed, maxHeaderSize: number): DbError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return refused(431, `the first line and the headers take more than ${maxHeaderSize} bytes (http.max_header_size)`)
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return refused(413, 'the extensions of a chunk are too long')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refused(408, 'the first line and the headers did not arrive in time')
    default:
      return refused(400, `not a valid HTTP/1.1 request${reason === undefined ? '' : `: ${reason}`}`)
  }
}

function refused(status: number, message: string): DbError {
  return new DbError('InvalidArguments', message, { status })
}

function answerOf({ code, status, message }: DbError): string {
  const body = JSON.stringify({ code: errorCodes[code].code, error: message, execution_time_ms: 0 })
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close'
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
