// Questions in SQL and PromQL, their answers as table, chart or JSON.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Choice } from '../../components/choice.tsx'
import { Editor } from '../../components/editor.tsx'
import { Problem } from '../../components/problem.tsx'
import { TimeRange } from '../../components/time-range.tsx'
import { change, parameters } from '../../router.ts'
import { database } from '../../session.ts'
import { useTask } from '../../task.ts'
import { showSpan, timeWords } from '../../time.ts'
import { Answer } from './answer.tsx'
import { type Asked, ask, isReading, type Language } from './ask.ts'
import { loadPromqlLanguage, loadSqlLanguage } from './completion.ts'
import { Elapsed } from './elapsed.tsx'
import { keepInHistory, Saved } from './saved.tsx'

const examples: Readonly<Record<Language, string>> = {
  sql: 'SELECT * FROM information_schema.tables',
  promql: 'sum by (job) (rate(http_requests_total[5m]))'
}

const languages = [
  { value: 'sql', title: 'SQL' },
  { value: 'promql', title: 'PromQL' }
] as const

export default function Query() {
  const language: Language = parameters.value.get('lang') === 'promql' ? 'promql' : 'sql'
  const asked = parameters.value.get('q') ?? ''
  const [text, setText] = useState(asked)
  const task = useTask<Asked>()
  /** What the user asked to be run. */
  const wanted = useRef<string>(undefined)
  const grammar = useLanguage(language)

  const run = (words = text) => {
    if (words.trim() === '') return
    keepInHistory({ language, text: words })
    wanted.current = words
    if (words === asked) void task.run(signal => ask(language, words, signal))
    else change({ q: words })
  }
  useEffect(() => {
    setText(asked)
    // A link shows its answer, but changes nothing by being opened.
    const isWanted = wanted.current === asked || isReading(language, asked)
    wanted.current = undefined
    if (asked !== '' && isWanted) void task.run(signal => ask(language, asked, signal))
  }, [asked, language, database.value, timeWords.value])

  return (
    <>
      <div class="bar">
        <h1>Query</h1>
        <Choice
          label="Language"
          value={language}
          options={languages}
          onChange={name => change({ lang: name === 'sql' ? undefined : name, q: undefined })}
        />
        <span class="space" />
        <Saved
          current={{ language, text }}
          onChoose={query => change({ lang: query.language === 'sql' ? undefined : query.language, q: query.text })}
        />
        <TimeRange />
      </div>
      <Editor
        key={language}
        label={language === 'sql' ? 'SQL statement' : 'PromQL expression'}
        value={text}
        placeholder={examples[language]}
        language={grammar}
        lines={language === 'sql' ? 5 : 2}
        onChange={setText}
        onRun={run}
      />
      <div class="bar">
        <button type="button" class="main" onClick={() => run()} disabled={text.trim() === ''}>
          Run
        </button>
        {task.isRunning && (
          <button type="button" onClick={task.cancel}>
            Cancel
          </button>
        )}
        <span class="quiet">Ctrl+Enter runs it{language === 'sql' && '; :from and :to stand for the time range'}.</span>
        <span class="space" />
        {task.isRunning && <Elapsed since={task.since} />}
      </div>
      {task.error !== undefined && <Problem error={task.error} />}
      {task.value && task.error === undefined && <Answer asked={task.value} onZoom={showSpan} />}
    </>
  )
}

function useLanguage(language: Language) {
  const [grammar, setGrammar] = useState<Awaited<ReturnType<typeof loadSqlLanguage>>>([])
  const load = useMemo(() => (language === 'sql' ? loadSqlLanguage : loadPromqlLanguage), [language])
  useEffect(() => {
    let gone = false
    load(database.value).then(
      loaded => !gone && setGrammar(loaded),
      () => {}
    )
    return () => {
      gone = true
    }
  }, [load, database.value])
  return grammar
}
