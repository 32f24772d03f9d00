// Set-ups of agents for this server, to be copied.

import { change, parameters } from '../router.ts'
import { database, user } from '../session.ts'
import { agents } from './agents.ts'
import { CopyButton } from './copy-button.tsx'

export function Snippets() {
  const chosen = agents.find(({ name }) => name === parameters.value.get('agent')) ?? agents[0]!
  const text = chosen.text({ origin: location.origin, db: database.value, user: user.value?.name })
  return (
    <section class="card stack">
      <h2>Send from elsewhere</h2>
      <label class="field agent">
        <span>Agent</span>
        <select value={chosen.name} onChange={event => change({ agent: event.currentTarget.value }, true)}>
          {agents.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <p class="quiet">
        {chosen.file}.{user.value && ' Your password goes where it says PASSWORD.'}
      </p>
      <div class="snippet">
        <pre class="card" tabIndex={0}>
          {text}
        </pre>
        <CopyButton title="Copy" text={() => text} />
      </div>
    </section>
  )
}
