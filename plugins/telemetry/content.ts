// The encoding of a request and its answer: protobuf or JSON.
import { DbError } from '../../core/index.ts'

export type Encoding = 'protobuf' | 'json'

export const contentTypes = { protobuf: 'application/x-protobuf', json: 'application/json' } as const

/** The encoding of a content type; protobuf without one. Throws DbError with status 415 for other types. */
export function encodingOf(contentType: string | undefined): Encoding {
  const media = mediaType(contentType)
  if (media === '' || media === contentTypes.protobuf || media === 'application/protobuf') return 'protobuf'
  if (media === contentTypes.json) return 'json'
  const expected = Object.values(contentTypes).join(' or ')
  throw new DbError('Unsupported', `content type ${media} is not supported, expected ${expected}`, { status: 415 })
}

/** The encoding of an error, whatever the request's is. */
export function answerEncodingOf(contentType: string | undefined): Encoding {
  return mediaType(contentType) === contentTypes.json ? 'json' : 'protobuf'
}

function mediaType(contentType = ''): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase()
}
