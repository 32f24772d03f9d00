// Shown while there are no rules: how to write the first one.
import { CopyButton } from '../../components/copy-button.tsx'
import { database } from '../../session.ts'

const config = `[plugins.alerting]
rule_files = ["rules/*.yml"]
webhooks = ["https://chat.example/hooks/1"]`

const rules = `groups:
  - name: first
    interval: 30s
    rules:
      - alert: TargetDown
        expr: up == 0
        for: 5m
        annotations:
          summary: '{{ $labels.instance }} is down'
      - alert: ManyErrors
        sql: |
          SELECT service, count(*) AS value FROM logs
          WHERE level = 'error' AND ts > now() - INTERVAL '5 minutes'
          GROUP BY service HAVING count(*) > 10`

export function Beginning() {
  return (
    <section class="card stack">
      <h2>No rules yet</h2>
      <p>
        There are no rules for the database {database.value}. Name their files in the configuration of the server; rules
        are written as those of Prometheus, and may ask SQL, too.
      </p>
      <Example label="Configuration" text={config} />
      <Example label="rules/first.yml" text={rules} />
    </section>
  )
}

function Example({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <>
      <div class="bar">
        <h3>{label}</h3>
        <CopyButton title="Copy" text={() => text} />
      </div>
      <pre class="card">{text}</pre>
    </>
  )
}
