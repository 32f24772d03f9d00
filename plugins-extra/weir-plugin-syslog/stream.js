// A connection: frames of its bytes, and what they hold to the store, before more is read.
import { createFrames } from './frame.js'

/**
 * Everything that has arrived at a time is one write. Nothing more is read from the socket until it is stored: that is what makes a fast
 * sender wait.
 */
export async function serveFrames({ chunks, ctx }, maxMessage, receive) {
  const frames = createFrames(maxMessage)
  const store = messages => {
    receive.skip(frames.drainSkipped())
    return messages.length === 0
      ? undefined
      : receive.store(
          ctx,
          messages.map(bytes => ({ bytes, from: ctx.address }))
        )
  }
  for await (const chunk of chunks()) await store(frames.push(chunk))
  // The last line of a sender that is done needs no end.
  await store(frames.end())
}
