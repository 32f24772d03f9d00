// A minimal server, as a baseline: it syncs each body to the disk and answers. Its times show how much of another server's times is due to the
// machine.
import { closeSync, fdatasync, openSync, write } from 'node:fs'
import { createServer } from 'node:http'
import { promisify } from 'node:util'

const file = openSync(process.argv[2]!, 'a')
process.once('disconnect', () => {
  closeSync(file)
  process.exit(0)
})
const [writing, syncing] = [promisify(write), promisify(fdatasync)]

const server = createServer(async (request, response) => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  if (pieces.length > 0) {
    await writing(file, Buffer.concat(pieces))
    await syncing(file)
  }
  response.writeHead(204).end()
})
server.listen(0, '127.0.0.1', () => process.send!((server.address() as { port: number }).port))
