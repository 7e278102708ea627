import { type AgentRun, agent, agentProvider, agentRun } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { traceTasks } from '../../support/console/traced-tasks.ts'
import { until } from '../../support/testbed/until.ts'
import { isFull } from '../../support/tier.ts'
import { type SharedBed, useConsoleBed } from './shared-bed.ts'

const markup = '<script>window.attacked=1</script><img src=x onerror="window.attacked=2">'
const bidi = 'safe\u202egnp.exe'

/** Notes violations of the policy. A text, since it runs in the browser. */
const observe = `
  addEventListener('securitypolicyviolation', ({ violatedDirective }) => {
    window.violated = violatedDirective
  })
`

let bed: SharedBed

beforeAll(async () => {
  bed = await useConsoleBed()
  const metadata = { name: 'hostile', namespace: 'agents' }
  const base = { apiVersion: 'agents.proompteng.ai/v1alpha1', metadata }
  await bed.admin.create(kindRef<KubeObject>(agentProvider), {
    ...{ ...base, kind: 'AgentProvider' },
    spec: { binary: 'hostile-agent' },
  } as KubeObject)
  await bed.admin.create(kindRef<KubeObject>(agent), {
    ...{ ...base, kind: 'Agent' },
    spec: { providerRef: { name: 'hostile' } },
  } as KubeObject)
  await bed.admin.create(kindRef<KubeObject>(agentRun), {
    ...{ ...base, kind: 'AgentRun' },
    metadata: { ...metadata, annotations: { note: markup } },
    spec: {
      agentRef: { name: 'hostile' },
      implementation: { inline: { text: `${markup}\n${bidi}\n\u001b]0;title\u0007` } },
      parameters: { markup, bidi },
      runtime: { type: 'job' },
    },
  } as KubeObject)
  // A log that has ended is shown from its first line.
  const runs = kindRef<AgentRun>(agentRun)
  await until(async () => (await bed.admin.get(runs, metadata)).status?.phase === 'Succeeded')
})
afterAll(() => bed?.stop())

test('hostile output, prompts and parameters are shown as text, and the page stays usable', async () => {
  const page = await bed.signIn(undefined, '/runs')
  const titles: string[] = []
  await page.evaluate(observe)
  const tasks = await traceTasks(page)
  // Within the page, so that the observer stays.
  await page.getByRole('link', { name: 'hostile' }).click()
  await page.locator('[data-log-state=ended]').waitFor()
  await page.getByText('100,098 lines').waitFor()
  await page.getByText(markup.replace('=1', ' = 1')).waitFor()
  await page.getByText('click after osc').waitFor()
  expect(await page.locator('.fg-1', { hasText: 'red text' }).count()).toBe(1)
  await page.getByText('bidi ⟨U+202E⟩gnp.exe end').waitFor()
  await page.getByRole('button', { name: /1,04\d,\d{3} more characters/ }).waitFor()
  await page.getByRole('button', { name: /more characters/ }).click()
  await page.getByRole('button', { name: /characters before/ }).click()
  await page.getByLabel('Search the log').fill('end of long')
  await page.getByText('1 of 1', { exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText(/x end of long$/).waitFor()
  await page.getByRole('button', { name: 'Follow' }).click()
  await page.getByText('last line', { exact: true }).waitFor()
  await page.locator('.log-lines').hover()
  for (let wheel = 0; wheel < 20; wheel += 1) {
    // What is not seen costs nothing.
    expect(await page.locator('.log-lines *').count()).toBeLessThan(1000)
    await page.mouse.wheel(0, -400)
    await page.waitForTimeout(30)
  }
  await page.getByLabel('Search the log').fill('numbered line 77777')
  // Before it is found.
  await page.keyboard.press('Enter')
  await page.getByText('1 of 1', { exact: true }).waitFor()
  await page.getByText('numbered line 77777', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Line 77783', exact: true }).click()
  await expect.poll(() => page.url()).toContain('line=77783')
  await page.getByRole('link', { name: 'Task' }).click()
  await page.getByText('safe⟨U+202E⟩gnp.exe').first().waitFor()
  await page.getByText('␛]0;title␇').waitFor()
  await page.getByRole('link', { name: 'YAML' }).click()
  await page.getByText('window.attacked=2').first().waitFor()
  titles.push(await page.title())
  const state = (await page.evaluate(
    '({ attacked: window.attacked, violated: window.violated })',
  )) as { attacked?: number; violated?: string }
  const { longestMs, count } = await tasks()
  process.stderr.write(`hostile log: ${count} tasks, the longest ${Math.round(longestMs)} ms\n`)
  expect(state).toMatchObject({ attacked: undefined, violated: undefined })
  if (isFull) expect(longestMs).toBeLessThanOrEqual(100)
  expect(titles).toEqual(['hostile · Agents'])
  expect(page.complaints).toEqual([])
  // A link to a line of a log opens there.
  await page.goto(`${bed.url}/runs/agents/hostile?kind=AgentRun&line=90000`)
  await page.getByText('numbered line 89994', { exact: true }).waitFor()
})

test('a task that is too long would be seen', async () => {
  const page = await bed.signIn(undefined, '/runs')
  const tasks = await traceTasks(page)
  await page.evaluate('for (let n = 0, end = 6e8; n < end; n += 1);')
  // Its task ends after its answer, and before another one.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve))')
  expect((await tasks()).longestMs).toBeGreaterThan(100)
})

test('a script that gets into the page is refused by its policy', async () => {
  const page = await bed.signIn(undefined, '/runs')
  await page.evaluate(`
    const script = document.createElement('script')
    script.textContent = 'window.attacked = 3'
    document.body.append(script)
  `)
  expect(await page.evaluate('window.attacked')).toBeUndefined()
  expect(page.complaints.join()).toContain('Content Security Policy')
})
