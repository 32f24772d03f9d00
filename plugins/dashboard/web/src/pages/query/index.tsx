// Questions in SQL and PromQL, their answers as table, chart or JSON.
import { useEffect, useRef } from 'preact/hooks'
import { Choice } from '../../components/choice.tsx'
import { Editor } from '../../components/editor.tsx'
import { Problem } from '../../components/problem.tsx'
import { TimeRange } from '../../components/time-range.tsx'
import { useLanguage } from '../../components/use-language.ts'
import { keepInHistory } from '../../history.ts'
import { change, parameters } from '../../router.ts'
import { database } from '../../session.ts'
import { useTask } from '../../task.ts'
import { showSpan, timeWords } from '../../time.ts'
import { Answer } from './answer.tsx'
import { type Asked, ask, isReading, type Language } from './ask.ts'
import { Elapsed } from './elapsed.tsx'
import { errorRange } from './error-range.ts'
import { Saved } from './saved.tsx'
import { TabBar } from './tab-bar.tsx'
import { activeTab, adopt, changeTab, type Tab } from './tabs.ts'
import './query.css'

const examples: Readonly<Record<Language, string>> = {
  sql: 'SELECT * FROM information_schema.tables',
  promql: 'sum by (job) (rate(http_requests_total[5m]))'
}

const languages = [
  { value: 'sql', title: 'SQL' },
  { value: 'promql', title: 'PromQL' }
] as const

const times = [
  { value: 'range', title: 'Range' },
  { value: 'instant', title: 'Instant' }
] as const

export default function Query() {
  const language: Language = parameters.value.get('lang') === 'promql' ? 'promql' : 'sql'
  const asked = parameters.value.get('q') ?? ''
  const isInstant = language === 'promql' && parameters.value.get('at') !== null
  const { id, text } = activeTab.value
  const task = useTask<Asked>()
  /** The text that the user started last. */
  const wanted = useRef<string>(undefined)
  const grammar = useLanguage(language)
  const start = () => void task.run(signal => ask(language, asked, signal, { isInstant }))

  const run = () => {
    if (text.trim() === '') return
    keepInHistory({ language, text })
    changeTab({ asked: text })
    wanted.current = text
    if (text === asked) start()
    change({ q: text, page: undefined })
  }
  const show = (tab: Pick<Tab, 'language' | 'asked'>) => {
    change({ lang: tab.language === 'sql' ? undefined : tab.language, q: tab.asked, page: undefined })
    if (tab.asked === '') task.clear()
  }
  useEffect(() => {
    if (asked !== '') adopt(language, asked)
    else if (activeTab.peek().language !== language) changeTab({ language })
    // A link shows its answer, but changes nothing by being opened.
    const isWanted = wanted.current === asked || isReading(language, asked)
    wanted.current = undefined
    if (asked !== '' && isWanted) start()
  }, [asked, language, isInstant, database.value, timeWords.value])

  const wrong = task.error instanceof Error && text === asked ? errorRange(task.error.message, text) : undefined
  return (
    <>
      <div class="bar">
        <h1>Query</h1>
        <Choice
          label="Language"
          value={language}
          options={languages}
          onChange={name => {
            changeTab({ language: name, asked: '' })
            show({ language: name, asked: '' })
          }}
        />
        {language === 'promql' && (
          <Choice
            label="Time"
            value={isInstant ? 'instant' : 'range'}
            options={times}
            onChange={name => change({ at: name === 'range' ? undefined : name, view: undefined })}
          />
        )}
        <span class="space" />
        <Saved
          current={{ language, text }}
          onChoose={query => change({ lang: query.language === 'sql' ? undefined : query.language, q: query.text })}
        />
        <TimeRange />
      </div>
      <TabBar onShow={show} />
      <Editor
        key={`${language} ${id}`}
        label={language === 'sql' ? 'SQL statement' : 'PromQL expression'}
        value={text}
        placeholder={examples[language]}
        language={grammar}
        lines={language === 'sql' ? 5 : 2}
        wrong={wrong}
        onChange={changed => changeTab({ text: changed })}
        onRun={run}
      />
      <div class="bar">
        <button type="button" class="main" onClick={run} disabled={text.trim() === ''}>
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
