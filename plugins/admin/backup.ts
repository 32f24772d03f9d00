// Backups being copied by a client: each keeps its files until the client ends it or says nothing for too long.
import { randomUUID } from 'node:crypto'
import {
  authorise,
  type Backup,
  type BackupFile,
  type Core,
  DbError,
  type RequestContext,
  version,
  writeManifest
} from '../../core/index.ts'

export interface Backups {
  /** Flushes and keeps the state of all data; `manifest` is JSON text. */
  begin(ctx: RequestContext): Promise<{ readonly id: string; readonly manifest: string }>
  /** File `index` of a backup and its bytes from an offset on. Throws DbError with status 404 for what is not there. */
  file(ctx: RequestContext, id: string, index: number): OpenFile
  end(ctx: RequestContext, id: string): void
  close(): void
}

export interface OpenFile extends BackupFile {
  read(from: number): AsyncIterable<Uint8Array>
}

interface Session {
  readonly backup: Backup
  readonly end: () => void
  /** Files being read now. */
  reading: number
  timer: NodeJS.Timeout
}

/** Each keeps files on disk that compaction has replaced. */
const mostSessions = 4

/** `idle`: milliseconds without a request after which a backup ends. */
export function createBackups(core: Core, idle: number): Backups {
  const sessions = new Map<string, Session>()

  const find = (ctx: RequestContext, id: string): Session => {
    allow(ctx)
    const session = sessions.get(id)
    if (session !== undefined) return session
    throw new DbError('InvalidArguments', `there is no backup ${id}: it has ended, begin again`, { status: 404 })
  }

  const end = (id: string, reason: string) => {
    const session = sessions.get(id)
    if (session === undefined) return
    sessions.delete(id)
    clearTimeout(session.timer)
    session.end()
    core.log.info({ backup: id, reason }, 'a backup ended')
  }

  const touch = (id: string, session: Session) => {
    clearTimeout(session.timer)
    if (session.reading > 0 || !sessions.has(id)) return
    session.timer = setTimeout(() => end(id, 'nobody asked for it any more'), idle).unref()
  }

  return {
    async begin(ctx) {
      allow(ctx)
      if (sessions.size >= mostSessions) {
        const message = `${mostSessions} backups are under way, end one with DELETE /admin/backup/{id} or wait`
        throw new DbError('RateLimited', message, { retryAfter: Math.ceil(idle / 1000) })
      }
      const id = randomUUID()
      const { backup, release } = await open(core, ctx)
      const session: Session = { backup, end: release, reading: 0, timer: setTimeout(() => {}, 0) }
      sessions.set(id, session)
      touch(id, session)
      const bytes = backup.files.reduce((sum, file) => sum + file.bytes, 0)
      core.log.info({ backup: id, files: backup.files.length, bytes }, 'a backup began')
      return { id, manifest: writeManifest(backup, core.store.engineName, version) }
    },

    file(ctx, id, index) {
      const session = find(ctx, id)
      const file = session.backup.files[index]
      if (file === undefined) {
        const message = `backup ${id} has ${session.backup.files.length} files, there is no file ${index}`
        throw new DbError('InvalidArguments', message, { status: 404 })
      }
      touch(id, session)
      return {
        ...file,
        async *read(from) {
          session.reading++
          clearTimeout(session.timer)
          try {
            yield* session.backup.read(file, from)
          } finally {
            session.reading--
            touch(id, session)
          }
        }
      }
    },

    end(ctx, id) {
      find(ctx, id)
      end(id, 'the client has it all')
    },

    close() {
      for (const id of [...sessions.keys()]) end(id, 'the server stops')
    }
  }
}

/** A backup holds everything of everybody: it takes a user who may read and write. */
function allow({ user }: RequestContext): void {
  authorise(user, 'read')
  authorise(user, 'write')
}

/** The backup, kept until `release`. */
async function open(core: Core, ctx: RequestContext): Promise<{ backup: Backup; release: () => void }> {
  const released = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<Backup>()
  const receive = (backup: Backup) => {
    begun.resolve(backup)
    return released.promise
  }
  core.store.maintain(ctx, { kind: 'backup', receive }).catch(begun.reject)
  return { backup: await begun.promise, release: released.resolve }
}

declare module '../../core/plugin.ts' {
  interface ServiceMap {
    admin: Backups
  }
}
