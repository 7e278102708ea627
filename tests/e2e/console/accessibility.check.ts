import { budget } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeFindings } from './axe.ts'
import type { WatchedPage } from './console-bed.ts'
import { followRequests } from './settled-page.ts'
import { type SharedBed, useConsoleBed } from './shared-bed.ts'

/** Every page, with an object that it can show. */
const pages = [
  ['overview', '/'],
  ['runs', '/runs'],
  ['no runs', '/runs?agent=nobody'],
  ['run', '/runs/agents/first-run'],
  ['task', '/runs/agents/first-run?view=task'],
  ['checks', '/runs/agents/first-run?view=checks'],
  ['timeline', '/runs/agents/first-run?view=timeline'],
  ['yaml', '/runs/agents/first-run?view=yaml'],
  ['artifacts', '/runs/agents/first-run?view=artifacts'],
  ['events', '/runs/agents/first-run?view=events'],
  ['referrers of a run', '/runs/agents/first-run?view=references'],
  ['archive', '/runs?source=archive&text=nothing&since=2030-01-01'],
  ['missing run', '/runs/agents/missing'],
  ['new run', '/new'],
  ['approvals', '/approvals'],
  ['budgets', '/budgets'],
  ['mirrors', '/mirrors'],
  ['mirror', '/kinds/gittargets.gitops.proompteng.ai/agents/mirror'],
  ['inbox', '/inbox'],
  ['missing delivery', '/inbox/agents/999'],
  ['audit', '/audit'],
  ['cluster', '/cluster'],
  ['kinds', '/kinds'],
  ['agents', '/kinds/agents.agents.proompteng.ai'],
  ['agent', '/kinds/agents.agents.proompteng.ai/agents/scripted'],
  ['missing agent', '/kinds/agents.agents.proompteng.ai/agents/missing'],
  ['agent as YAML', '/kinds/agents.agents.proompteng.ai/agents/scripted?view=yaml'],
  ['referrers', '/kinds/agents.agents.proompteng.ai/agents/scripted?view=references'],
  ['nothing', '/no-such-page'],
] as const

const wide = { width: 1280, height: 800 }
const narrow = { width: 320, height: 640 }

let bed: SharedBed
let page: WatchedPage
let settled: () => Promise<void>

beforeAll(async () => {
  bed = await useConsoleBed()
  await bed.admin.create(kindRef<KubeObject>(budget), {
    ...{ apiVersion: 'budgets.proompteng.ai/v1alpha1', kind: 'Budget' },
    metadata: { name: 'all', namespace: 'agents' },
    spec: { limits: { tokens: '1000', dollars: '5', cpu: '4' }, window: 'day' },
  } as KubeObject)
  page = await bed.signIn(undefined, '/', { viewport: wide })
  settled = followRequests(page)
})
afterAll(() => bed?.stop())

async function open(path: string): Promise<void> {
  page.complaints.length = 0
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(wide)
  await page.goto(`${bed.url}${path}`)
  await page.getByRole('main').getByRole('heading').first().waitFor()
  await settled()
}

test.each(pages)(
  'axe finds nothing on the page %s in both themes, and it fits into 320 pixels',
  async (_name, path) => {
    await open(path)
    expect(await axeFindings(page, bed.axePath)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await axeFindings(page, bed.axePath)).toEqual([])
    await page.setViewportSize(narrow)
    await settled()
    const widths = await page.evaluate(
      "[document.documentElement, document.querySelector('main')].map((each) => each.scrollWidth)",
    )
    expect(widths).toEqual([320, 320])
    expect(page.complaints).toEqual([])
  },
)

test('axe finds nothing where people sign in, and in a dialog', async () => {
  const outside = await (await bed.newContext()).newPage()
  await outside.goto(bed.url)
  await outside.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await axeFindings(outside, bed.axePath)).toEqual([])
  await open('/runs')
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  expect(await axeFindings(page, bed.axePath)).toEqual([])
  // It would find something.
  await page.evaluate("document.querySelector('dialog').append(document.createElement('img'))")
  expect(await axeFindings(page, bed.axePath)).toEqual(['image-alt: <img>'])
})
