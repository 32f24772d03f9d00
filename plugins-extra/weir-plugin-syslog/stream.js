// A connection: frames of its bytes, and what they hold to the store, before more is read.
import { createFrames } from './frame.js'

/** @import { Connection } from 'weir-server' */
/** @import { Receive } from './receive.js' */

/**
 * Stores the messages of a connection until its sender ends it. Everything that has arrived at a time is one write. Nothing more is read
 * from the socket until it is stored: that is what makes a fast sender wait. Throws DbError for bytes that are no frames, and what
 * `receive.store` throws.
 * @param {Pick<Connection, 'chunks' | 'ctx'>} connection
 * @param {number} maxMessage bytes
 * @param {Receive} receive
 */
export async function serveFrames({ chunks, ctx }, maxMessage, receive) {
  const frames = createFrames(maxMessage)
  /** @param {readonly Buffer[]} messages */
  const store = async messages => {
    receive.skip(frames.drainSkipped())
    if (messages.length === 0) return
    await receive.store(
      ctx,
      messages.map(bytes => ({ bytes, from: ctx.address }))
    )
  }
  for await (const chunk of chunks()) await store(frames.push(chunk))
  // The last line of a sender that is done needs no end.
  await store(frames.end())
}
