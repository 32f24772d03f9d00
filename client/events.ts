// Reads server-sent events: the part of the format that the server uses.

export interface ServerEvent {
  readonly event: string
  readonly data: string
}

export async function* readEvents(pieces: AsyncIterable<string>): AsyncGenerator<ServerEvent, void> {
  let text = ''
  for await (const piece of pieces) {
    text += piece
    const blocks = text.split('\n\n')
    text = blocks.pop()!
    for (const block of blocks) {
      const lines = block.split('\n')
      const value = (name: string) =>
        lines
          .filter(line => line.startsWith(`${name}: `))
          .map(line => line.slice(name.length + 2))
          .join('\n')
      // A comment keeps the connection alive.
      if (value('event') !== '') yield { event: value('event'), data: value('data') }
    }
  }
}
