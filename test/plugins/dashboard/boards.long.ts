import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { encodeSnappy } from '../../../core/wire/index.ts'
import { needing } from '../../programs.ts'
import { type TestSeries, writeV1 } from '../metricsys/messages.ts'
import { drawnTexts, look, narrow, openSite, runSql, shows, until, watchSql } from './browser.ts'

async function fill(url: string): Promise<void> {
  const now = Date.now()
  const series: TestSeries[] = ['api', 'web'].flatMap(job =>
    ['a', 'b'].map(host => ({
      labels: { __name__: 'requests_total', job, host },
      samples: Array.from({ length: 240 }, (_, i) => [now - (240 - i) * 15_000, i * (job === 'api' ? 30 : 60)] as const)
    }))
  )
  for (const [le, share] of [
    ['0.1', 0.5],
    ['1', 0.9],
    ['+Inf', 1]
  ] as const) {
    const samples = Array.from(
      { length: 240 },
      (_, i) => [now - (240 - i) * 15_000, Math.round(i * 10 * share)] as const
    )
    series.push({ labels: { __name__: 'request_seconds_bucket', job: 'api', le }, samples })
  }
  series.push({
    labels: { __name__: 'request_seconds_bucket', job: 'api', le: '1' },
    exemplars: [{ labels: { trace_id: '0af7651916cd43dd8448eb211c80319c' }, value: 0.42, time: now - 60_000 }]
  })
  series.push({ labels: { __name__: 'node_uname_info', instance: 'm1' }, samples: [[now - 60_000, 1]] })
  const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' }
  const body = Buffer.from(encodeSnappy(writeV1(series)))
  const response = await fetch(`${url}/v1/metricsys/write`, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(await response.text())
  const examples = join(import.meta.dirname, '../../../examples/data')
  const pipeline = readFileSync(join(examples, 'access.yaml'))
  await fetch(`${url}/v1/pipelines/access`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-yaml' },
    body: pipeline
  })
  const log = readFileSync(join(examples, 'shop-access.log'))
  await fetch(`${url}/v1/ingest?table=shop&pipeline_name=access`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: log
  })
  await runSql(url, 'CREATE TABLE lines (ts TIMESTAMP(3) TIME INDEX, level STRING, message STRING)')
  await runSql(
    url,
    `INSERT INTO lines VALUES (${now - 5000}, 'error', 'payment failed for cart 7'), (${now - 4000}, 'info', 'cart 8 is paid')`
  )
}

const grafana = JSON.stringify({
  title: 'From Grafana',
  templating: {
    list: [
      { name: 'ds', type: 'datasource', query: 'prometheus' },
      {
        name: 'job',
        type: 'query',
        query: { query: 'label_values(requests_total, job)' },
        multi: true,
        includeAll: true
      },
      { name: 'odd', type: 'adhoc' }
    ]
  },
  annotations: {
    list: [
      { name: 'Annotations & Alerts', builtIn: 1, enable: true, datasource: { type: 'grafana' } },
      {
        name: 'New machine',
        enable: true,
        datasource: { type: 'prometheus', uid: 'p' },
        expr: 'node_uname_info',
        titleFormat: 'machine {{instance}}'
      },
      { name: 'Tickets', enable: true, datasource: { type: 'mysql' }, rawQuery: 'SELECT 1' }
    ]
  },
  panels: [
    { type: 'row', title: 'Traffic', gridPos: { x: 0, y: 0, w: 24, h: 1 } },
    {
      type: 'timeseries',
      title: 'Requests',
      gridPos: { x: 0, y: 1, w: 16, h: 8 },
      fieldConfig: { defaults: { unit: 'reqps', custom: { stacking: { mode: 'normal' }, fillOpacity: 30 } } },
      targets: [
        { expr: 'sum by (job) (rate(requests_total{job=~"$job"}[$__rate_interval]))', legendFormat: 'of {{job}}' }
      ]
    },
    {
      type: 'stat',
      title: 'Hosts',
      gridPos: { x: 16, y: 1, w: 8, h: 8 },
      options: { reduceOptions: { calcs: ['mean'] } },
      fieldConfig: { defaults: { thresholds: { steps: [{ color: 'green' }, { color: 'red', value: 80 }] } } },
      targets: [{ expr: 'count(requests_total{job=~"$job"})' }]
    },
    {
      type: 'table',
      title: 'All',
      gridPos: { x: 0, y: 9, w: 24, h: 6 },
      transformations: [{ id: 'organize', options: {} }],
      fieldConfig: { overrides: [{ matcher: { id: 'byName' } }], defaults: { unit: 'furlongs' } },
      targets: [{ expr: 'requests_total{job=~"$job"}' }]
    },
    {
      type: 'heatmap',
      title: 'Times',
      gridPos: { x: 0, y: 15, w: 24, h: 8 },
      fieldConfig: { defaults: { unit: 's' } },
      targets: [{ expr: 'sum by (le) (increase(request_seconds_bucket[5m]))', exemplar: true }]
    },
    { type: 'geomap', title: 'Where', gridPos: { x: 0, y: 20, w: 24, h: 6 }, targets: [{ expr: 'up' }] }
  ]
})

t.test('saved dashboards', needing('chromium'), async t => {
  const site = await openSite(t, { fill })
  /** A page with a dashboard that was saved before. */
  const open = async (url: string, title: string, document: object) => {
    const response = await fetch(`${url}/dashboard/api/boards`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title, document })
    })
    const { id } = (await response.json()) as { readonly id: string }
    return site.open(`boards?board=${id}`, { viewport: { width: 1440, height: 900 } })
  }

  await t.test('one is made, saved, found again, changed and deleted', async t => {
    const page = await site.open('boards', { viewport: { width: 1440, height: 900 } })
    await page.getByRole('link', { name: 'This server' }).waitFor()
    await look(t, page, 'boards-list')
    await page.getByRole('link', { name: 'New dashboard' }).click()
    await page.getByLabel('Title of the dashboard').fill('Shop')
    await page.getByRole('button', { name: 'Add a panel' }).click()
    await page.getByLabel('Title', { exact: true }).fill('Rate')
    await page.getByLabel('Text of query 1').fill('sum by (job) (rate(requests_total[$__rate_interval]))')
    await page.getByLabel('Legend').fill('job {{job}}')
    await page.getByLabel('Legend').blur()
    await page.getByLabel('Rate', { exact: true }).locator('.legend li', { hasText: 'job api' }).first().waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Add a panel' }).click()
    await page.getByLabel('Title', { exact: true }).fill('Lines')
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('logs')
    await page.getByLabel('Language of query 1').selectOption('logs')
    await page.getByLabel('Text of query 1').fill('lines payment')
    await page.getByLabel('Text of query 1').blur()
    await page.getByText('payment failed for cart 7').waitFor()
    await shows(t).equal(() => page.getByText('cart 8 is paid').count(), 0)
    await look(t, page, 'boards-edit')
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByText('not saved').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForFunction(() => /board=[\da-f]{16}/.test(location.search))
    await shows(t).equal(() => page.getByText('not saved').count(), 0)
    const address = page.url().slice(`${site.url}/dashboard/`.length)

    const again = await site.open(address)
    await again.getByRole('heading', { name: 'Shop' }).waitFor()
    await again.getByText('payment failed for cart 7').waitFor()
    await again.getByRole('button', { name: 'Edit', exact: true }).click()
    await again.getByLabel('Title of the dashboard').fill('Shop, changed')
    await again.reload()
    await shows(t).equal(
      () => again.getByLabel('Title of the dashboard').inputValue(),
      'Shop, changed',
      'a draft survives'
    )
    await again.getByRole('button', { name: 'Save', exact: true }).click()
    await again.getByRole('heading', { name: 'Shop, changed' }).waitFor()

    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Title of the dashboard').fill('Too late')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('meanwhile').waitFor()

    const readOnly = await site.open(`${address}&view=read`)
    await readOnly.getByRole('heading', { name: 'Shop, changed' }).waitFor()
    await shows(t).equal(
      () => readOnly.getByRole('button', { name: /^(Edit|More|Save)/ }).count(),
      0,
      'nothing that changes it'
    )
    again.once('dialog', dialog => dialog.accept())
    await again.getByRole('button', { name: 'More of the dashboard' }).click()
    await again.getByRole('button', { name: 'Delete' }).click()
    await again.getByRole('heading', { name: 'Dashboards' }).waitFor()
    await shows(t).equal(() => again.getByRole('link', { name: 'Shop, changed' }).count(), 0)
  })

  await t.test('dashboards of Grafana are imported; what is left out is told', async t => {
    const page = await site.open('boards')
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByLabel('or its JSON').fill(grafana)
    await page.locator('.import').getByRole('button', { name: 'Import' }).last().click()
    await page.getByText('Where is left out: there is no panel like geomap').waitFor()
    await page.getByText('The variable odd is left out').waitFor()
    await shows(t).same(
      () => page.locator('.import li').allTextContents(),
      [
        'Hosts is without its thresholds, reducer mean (it shows the last value)',
        'All is without its transformations organize, overrides of single fields, unit furlongs',
        'Where is left out: there is no panel like geomap',
        'The variable odd is left out: there is none of the type adhoc',
        'The annotation Tickets is left out: it asks no PromQL'
      ]
    )
    await page.getByRole('link', { name: 'Show the dashboard' }).click()
    await page.getByRole('figure', { name: 'Times' }).locator('.scale').waitFor()
    await page
      .getByRole('figure', { name: 'Times' })
      .getByRole('link', { name: /^Trace of 420 ms/ })
      .waitFor()
    const chart = page.getByLabel('Requests', { exact: true })
    await chart.getByText('of api').first().waitFor()
    await page.getByLabel('Hosts', { exact: true }).getByText('4', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'job: All' }).click()
    await page.getByRole('checkbox', { name: 'web' }).check()
    await page.getByLabel('Hosts', { exact: true }).getByText('2', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await shows(t).equal(() => chart.locator('.legend li').count(), 1)
    await shows(t).match(() => decodeURIComponent(page.url()), 'var-job=["web"]')
    const plot = (await chart.locator('.plot').boundingBox())!
    const mark = chart.locator('.tooltip .mark')
    for (let x = plot.width - 1; x > 0 && (await mark.count()) === 0; x -= 3)
      await page.mouse.move(plot.x + x, plot.y + 30)
    await shows(t).equal(() => mark.textContent(), 'machine m1')
    await look(t, page, 'boards-grafana')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'More of the dashboard' }).click()
    await page.getByRole('button', { name: 'Export as JSON' }).click()
    const exported = JSON.parse(readFileSync(await (await download).path(), 'utf8'))
    t.match(exported, {
      title: 'From Grafana',
      document: {
        annotations: [{ title: 'machine {{instance}}', text: '(node_uname_info) != 0' }],
        panels: [{ kind: 'row' }, { kind: 'chart', unit: 'perSecond' }]
      }
    })
    const wrong = await site.open('boards')
    await wrong.getByRole('button', { name: 'Import' }).click()
    await wrong.getByLabel('or its JSON').fill('{"a": 1}')
    await wrong.locator('.import').getByRole('button', { name: 'Import' }).last().click()
    await wrong.getByText('This is not a dashboard').waitFor()
  })

  await t.test('those that come with the server show data, and are saved as copies', async t => {
    const page = await site.open('boards?board=access-log&from=2026-11-20T00:00:00Z&to=2026-11-21T00:00:00Z', {
      viewport: { width: 1440, height: 900 }
    })
    await page.getByLabel('Requests by status').locator('.legend li', { hasText: '2xx' }).first().waitFor()
    await page.getByLabel('Paths', { exact: true }).getByText('/checkout').first().waitFor()
    await shows(t).equal(() => page.getByRole('alert').count(), 0)
    await look(t, page, 'boards-access-log')
    const dark = await site.open('boards?board=access-log&from=2026-11-20T00:00:00Z&to=2026-11-21T00:00:00Z', {
      dark: true,
      viewport: narrow
    })
    await dark.getByLabel('Requests by status').locator('.legend li').first().waitFor()
    await look(t, dark, 'boards-access-log-narrow-dark')
    const node = await site.open('boards?board=node-exporter', { dark: true, viewport: { width: 1024, height: 768 } })
    await node.getByLabel('Machines', { exact: true }).getByText('1', { exact: true }).waitFor()
    await shows(t).equal(() => node.getByRole('alert').count(), 0)
    await look(t, node, 'boards-node-1024-dark')
    await page.getByRole('button', { name: 'More of the dashboard' }).click()
    await page.getByRole('button', { name: 'Save a copy' }).click()
    await page.getByRole('heading', { name: 'Access log (copy)' }).waitFor()
  })

  await t.test('the button of a chart lies within its panel, with a title and without', async t => {
    const panel = (title: string, width: number) => ({
      ...{ title, kind: 'chart', width, height: 8 },
      queries: [{ language: 'promql', text: 'requests_total' }]
    })
    const document = { panels: [panel('', 12), panel('With a title', 12), panel('', 24)] }
    const page = await open(site.url, 'Buttons', document)
    for (const at of [0, 1, 2]) {
      const card = page.locator('.panel').nth(at)
      await card.locator('.legend li').first().waitFor()
      const [outer, inner, plot] = await Promise.all(
        [card, card.getByRole('button', { name: /^Chart of/ }), card.locator('.u-over')].map(each => each.boundingBox())
      )
      t.ok(inner!.y >= outer!.y && inner!.x + inner!.width <= outer!.x + outer!.width, `${at}: within the card`)
      t.ok(inner!.y + inner!.height <= plot!.y + 1, `${at}: not over the plot`)
    }
    t.equal(await page.locator('h2:empty').count(), 0)
    await look(t, page, 'boards-buttons')
  })

  await t.test('annotations are written, saved and drawn in all charts', async t => {
    const page = await site.open(`metrics?panels=requests_total&marks=${encodeURIComponent('node_uname_info')}`)
    await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
    await page.getByRole('button', { name: 'Add a panel' }).click()
    await page.getByText('It asks nothing yet.').waitFor()
    t.equal(await page.getByRole('alert').count(), 0, 'what is not written yet is not wrong')
    await page.getByRole('button', { name: 'Remove this panel' }).click()
    await page.getByRole('button', { name: 'Annotations' }).click()
    await shows(t).equal(() => page.getByLabel('Expression').inputValue(), 'node_uname_info')
    await page.getByLabel('Called').fill('start of {{instance}}')
    await page.getByLabel('Called').blur()
    await page.getByRole('button', { name: 'Add an annotation' }).click()
    await page.getByLabel('Expression').nth(1).fill('nothing_like_it')
    await page.getByLabel('Expression').nth(1).blur()
    await look(t, page, 'boards-annotations')
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL(/board=[\da-f]{16}/)
    await page.reload()
    const plot = page.locator('.plot').first()
    await page.locator('.legend li').first().waitFor()
    const box = (await plot.boundingBox())!
    const mark = page.locator('.tooltip .mark')
    for (let x = box.width - 1; x > 0 && (await mark.count()) === 0; x -= 3)
      await page.mouse.move(box.x + x, box.y + 30)
    await shows(t).equal(() => mark.textContent(), 'start of m1')
  })

  await t.test('variables that are whole values stand beside a statement, others in it', async t => {
    const text = `SELECT '$level' AS l, '%$level%' AS part, "$column" FROM lines /* $level */ -- '
      WHERE level IN ($level) AND ts >= :from AND ts < :to AND message <> '$$' AND '$__from' <> ''`
    const document = {
      variables: [
        { name: 'level', kind: 'custom', query: "error,info,it's", multi: true, all: true },
        { name: 'column', kind: 'custom', query: 'message' }
      ],
      panels: [{ title: 'Rows', kind: 'table', width: 24, height: 8, queries: [{ language: 'sql', text }] }]
    }
    const page = await open(site.url, 'Values', document)
    await page.getByLabel('Rows', { exact: true }).getByText('cart 8 is paid').first().waitFor()
    const sent = watchSql(page)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await shows(t).ok(() => sent.some(each => each.get('sql')?.includes('FROM lines')))
    const asked = sent.find(each => each.get('sql')?.includes('FROM lines'))!
    const all = "error,info,it''s"
    t.match(asked.get('sql'), `SELECT $text_level AS l, '%${all}%' AS part, "message" FROM lines /* $level */ -- '`)
    t.match(asked.get('sql'), 'IN ($value_0_level, $value_1_level, $value_2_level) AND ts >= $from AND ts < $to')
    t.match(asked.get('sql'), /message <> '\$\$' AND '\d{13}' <> ''$/)
    t.match(JSON.parse(asked.get('params')!), {
      text_level: "error,info,it's",
      value_0_level: 'error',
      value_1_level: 'info',
      value_2_level: "it's"
    })
    await page.getByRole('button', { name: 'level: All' }).click()
    await page.getByRole('checkbox', { name: 'error' }).check()
    await page.getByText('cart 8 is paid').waitFor({ state: 'detached' })
    await page.getByText('payment failed for cart 7').waitFor()
  })

  await t.test('a histogram is a heat map with its exemplars, and other lines where they are chosen', async t => {
    const expression = 'sum by (le) (increase(request_seconds_bucket[5m]))'
    const marks = encodeURIComponent('node_uname_info')
    const page = await site.open(`metrics?panels=${encodeURIComponent(expression)}&marks=${marks}`)
    await page.getByRole('link', { name: /^Trace of 420 ms/ }).waitFor()
    await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
    const figure = page.getByRole('figure', { name: expression, exact: true })
    await figure.locator('.scale').waitFor()
    t.same(
      (await drawnTexts(page, expression)).slice(0, 4).map(({ text }) => text),
      ['0 s', '100 ms', '1 s', '∞']
    )
    const dot = figure.getByRole('link', { name: /^Trace of 420 ms/ })
    await dot.waitFor()
    const box = (await figure.locator('canvas').boundingBox())!
    const mark = figure.locator('.tooltip .mark')
    for (let x = box.width - 12; x > 0 && (await mark.count()) === 0; x -= 3)
      await page.mouse.move(box.x + x, box.y + 30)
    await shows(t).match(() => mark.textContent(), 'm1')
    await look(t, page, 'boards-heat-map')
    await page.getByRole('button', { name: `Edit ${expression}` }).click()
    await page.getByLabel('Style').selectOption('lines')
    await figure.locator('.legend li').nth(2).waitFor()
    await dot.waitFor()
    await page.getByLabel('Exemplars').uncheck()
    await dot.waitFor({ state: 'detached' })
  })

  await t.test('an expression of another page becomes a panel', async () => {
    const page = await site.open('metrics?panels=requests_total')
    await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
    await page.getByLabel('requests_total', { exact: true }).locator('.legend li').nth(3).waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor()
  })
})

t.test('the dashboard of the server itself', needing('chromium'), async t => {
  const toml = '[plugins.admin]\nself_interval = "1s"\n'
  const site = await openSite(t, { toml, env: { WEIR__ENABLE_TELEMETRY: 'true' }, fill })
  const page = await site.open('boards?board=weir-server&from=now-5m', { viewport: { width: 1440, height: 900 } })
  const rows = page.getByLabel('Rows by plugin').locator('.legend li', { hasText: 'metricsys' })
  await until(
    () => page.getByRole('button', { name: 'Refresh' }).click(),
    () =>
      rows
        .first()
        .waitFor({ timeout: 1_000 })
        .then(
          () => true,
          () => false
        )
  )
  await shows(t).match(() => page.getByLabel('Resident memory').locator('strong').textContent(), /MiB$/)
  for (const title of [
    'On disk',
    'Bytes by plugin',
    'Requests by plugin',
    'Time of writes',
    'Memory',
    'Processor',
    'Alerts'
  ])
    await shows(t).equal(() => page.getByLabel(title, { exact: true }).getByText('No samples').count(), 0, title)
  await shows(t).equal(() => page.getByRole('alert').count(), 0)
  await shows(t).equal(() => page.locator('.warning').count(), 0)
  const places = (await drawnTexts(page, 'Bytes by plugin')).filter(({ text }) => /^\d\d:\d\d/.test(text))
  t.ok(places.length > 1)
  for (const [i, { left, text }] of places.entries())
    t.ok(i === 0 || left > places[i - 1]!.right, `${text} lies over another`)
  await look(t, page, 'boards-server')
})
