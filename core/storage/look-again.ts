// Names that this process does not know yet: another one may have made what they stand for.
import { type ErrorCode, isDbError } from '../errors.ts'
import type { Store } from './store.ts'

const unknown: ReadonlySet<ErrorCode> = new Set(['DatabaseNotFound', 'TableNotFound', 'TableColumnNotFound'])

/**
 * What `work` resolves with; done once more, after a look at what others changed, where it knows a name not and other processes may write to
 * the same tables. Such an error must come before `work` changes anything.
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
