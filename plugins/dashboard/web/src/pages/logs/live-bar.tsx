// State and buttons of the live tail.
import { Problem } from '../../components/problem.tsx'
import { countOf } from '../../words.ts'
import type { Live } from './live.ts'

export function LiveBar({ live }: { readonly live: Live }) {
  const { phase, isPaused, waiting, skipped, lost, reason, error } = live
  return (
    <section class="card bar live" aria-label="Live tail">
      <span class={phase === 'open' && !isPaused ? 'lamp on' : 'lamp'} />
      <span role="status">{stateOf(live)}</span>
      {phase === 'open' && isPaused && waiting.length > 0 && (
        <span>{countOf(waiting.length, 'new line waits', 'new lines wait')}</span>
      )}
      {skipped > 0 && <span class="quiet">{countOf(skipped, 'older one was', 'older ones were')} not kept</span>}
      {lost > 0 && <span class="failed">{lost.toLocaleString('en')} lost: they came faster than this page reads</span>}
      {reason !== undefined && phase === 'ended' && <span>{reason}</span>}
      <span class="space" />
      {phase === 'open' && (
        <button type="button" onClick={isPaused ? live.resume : live.pause}>
          {isPaused ? 'Resume' : 'Pause'}
        </button>
      )}
      {phase === 'ended' && (
        <button type="button" onClick={live.connect}>
          Connect again
        </button>
      )}
      {error !== undefined && <Problem error={error} />}
    </section>
  )
}

function stateOf({ phase, isPaused, rows }: Live): string {
  if (phase === 'connecting') return 'Connecting …'
  if (phase === 'ended') return 'Ended.'
  if (isPaused) return 'Paused.'
  return rows.length === 0 ? 'Live: waiting for new lines.' : `Live: ${countOf(rows.length, 'new line')}.`
}
