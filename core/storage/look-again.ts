// Retries work that failed on an unknown name, because another process may have created it meanwhile.
import { type ErrorCode, isDbError } from '../errors.ts'
import type { Store } from './store.ts'

const unknown: ReadonlySet<ErrorCode> = new Set(['DatabaseNotFound', 'TableNotFound', 'TableColumnNotFound'])

/**
 * The result of `work`. If it fails on an unknown name and other processes may write to the same tables, the catalog is refreshed and `work` called
 * once more; so it must fail before it changes anything.
 */
export async function lookAgain<T>(store: Pick<Store, 'isShared' | 'refresh'>, work: () => Promise<T>): Promise<T> {
  if (!store.isShared) return work()
  try {
    return await work()
  } catch (error) {
    if (!isDbError(error) || !unknown.has(error.code)) throw error
    await store.refresh()
    return work()
  }
}
