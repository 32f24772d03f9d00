// Why the server is not ready, and which of its plugins are not ok.
import { TableHead } from '../../components/table-head.tsx'
import { formatTime } from '../../time.ts'

export interface Trouble {
  readonly plugin: string
  readonly component?: string
  readonly state: 'starting' | 'degraded' | 'failed'
  readonly reason?: string
  /** Milliseconds since 1970. */
  readonly since: number
}

interface HealthProps {
  /** Why the server is not ready. */
  readonly reason?: string
  readonly troubles: readonly Trouble[]
}

/** Nothing where all is well. */
export function Health({ reason, troubles }: HealthProps) {
  if (reason === undefined && troubles.length === 0) return null
  return (
    <section class="card stack" aria-label="Health">
      <h2>Health</h2>
      {reason !== undefined && <div class="warning">The server is not ready: {reason}</div>}
      {troubles.length > 0 && (
        <table class="plain">
          <TableHead titles={['Plugin', 'State', 'Since']} />
          <tbody>
            {troubles.map(({ plugin, component, state, reason, since }) => (
              <tr key={`${plugin} ${component}`}>
                <td>{component === undefined ? plugin : `${plugin}: ${component}`}</td>
                <td>
                  <strong>{state}</strong> {reason}
                </td>
                <td>{formatTime(Math.floor(since / 1000) * 1000)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

export function stateWord(isReady: boolean, troubles: readonly Trouble[]): string {
  if (!isReady) return 'not ready'
  return troubles.length === 0 ? 'ready' : `ready, ${troubles.length} not ok`
}
