// Sessions of backups: each keeps its files until the client ends it or is silent for too long.
import { randomUUID } from 'node:crypto'
import {
  after,
  authoriseAll,
  type Backup,
  type BackupFile,
  type Core,
  DbError,
  type RequestContext,
  type Timer,
  version,
  writeManifest
} from '../../core/index.ts'

export interface Backups {
  /** Flushes and begins a backup; `manifest` is JSON text. */
  begin(ctx: RequestContext): Promise<{ readonly id: string; readonly manifest: string }>
  /** File `index` of a backup, and its bytes from an offset on. Throws DbError with status 404 if there is none. */
  file(ctx: RequestContext, id: string, index: number): OpenFile
  end(ctx: RequestContext, id: string): void
  close(): void
}

interface OpenFile extends BackupFile {
  read(from: number): AsyncIterable<Uint8Array>
}

interface Session {
  readonly backup: Backup
  readonly end: () => void
  /** Number of files being read. */
  reading: number
  timer: Timer | undefined
}

interface BackupOptions {
  /** Milliseconds without a request after which a backup ends. */
  readonly backup_idle: number
  /** Maximum number of concurrent backups. */
  readonly max_backups: number
}

export function createBackups(core: Core, { backup_idle: idle, max_backups }: BackupOptions): Backups {
  const sessions = new Map<string, Session>()
  /** Backups that are still flushing and have no session yet. */
  let beginning = 0
  let isClosed = false
  core.metrics.gauge('svc_admin_backups_running', 'Backups under way; each keeps its files on disk.', [], gauge =>
    gauge.set(sessions.size + beginning)
  )

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
    session.timer?.stop()
    session.end()
    core.log.info({ backup: id, reason }, 'a backup ended')
  }

  const touch = (id: string, session: Session) => {
    session.timer?.stop()
    if (session.reading > 0 || !sessions.has(id)) return
    session.timer = after(idle, () => end(id, 'nobody asked for it any more')).unref()
  }

  return {
    async begin(ctx) {
      allow(ctx)
      if (sessions.size + beginning >= max_backups) {
        const message = `${max_backups} backups are under way (plugins.admin.max_backups): end one with DELETE /admin/backup/{id} or wait`
        throw new DbError('RateLimited', message, { retryAfter: Math.ceil(idle / 1000) })
      }
      beginning++
      const { backup, release } = await open(core, ctx).finally(() => beginning--)
      // The client is gone, so nobody would end the backup.
      if (ctx.signal.aborted || isClosed) {
        release()
        throw ctx.signal.aborted ? ctx.signal.reason : new DbError('Suspended', 'the server is stopping')
      }
      const id = randomUUID()
      const session: Session = { backup, end: release, reading: 0, timer: undefined }
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
          session.timer?.stop()
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
      isClosed = true
      for (const id of [...sessions.keys()]) end(id, 'the server stops')
    }
  }
}

/** A backup contains the data of all users, so it needs one who may read and write everywhere. */
function allow({ user }: RequestContext): void {
  authoriseAll(user, 'read')
  authoriseAll(user, 'write')
}

/** Begins a backup that is kept until `release`. */
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
