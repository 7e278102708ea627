import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { budget } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeFindings } from './axe.ts'
import { type ConsoleBed, startConsoleBed, type WatchedPage } from './console-bed.ts'

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

let folder: string
let bed: ConsoleBed
const signedIn = new Map<string, WatchedPage>()

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'console-record-'))
  bed = await startConsoleBed({}, '--mirror', join(folder, 'record.git'))
  await bed.admin.create(kindRef<KubeObject>(budget), {
    ...{ apiVersion: 'budgets.proompteng.ai/v1alpha1', kind: 'Budget' },
    metadata: { name: 'all', namespace: 'agents' },
    spec: { limits: { tokens: '1000', dollars: '5', cpu: '4' }, window: 'day' },
  } as KubeObject)
  for (const colorScheme of ['light', 'dark'] as const) {
    signedIn.set(colorScheme, await bed.signIn(undefined, '/', { colorScheme }))
  }
  const viewport = { width: 320, height: 640 }
  signedIn.set('narrow', await bed.signIn(undefined, '/', { viewport }))
})
afterAll(async () => {
  await bed?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function open(name: string, path: string): Promise<WatchedPage> {
  const page = signedIn.get(name)
  if (page === undefined) throw new Error(`no browser ${name}`)
  page.complaints.length = 0
  await page.goto(`${bed.url}${path}`)
  await page.getByRole('main').getByRole('heading').first().waitFor()
  await page.waitForLoadState('load')
  await page.waitForTimeout(700)
  return page
}

describe.each(['light', 'dark'])('in the %s theme', (theme) => {
  test.each(pages)('axe finds nothing on the page %s', async (_name, path) => {
    const page = await open(theme, path)
    expect(await axeFindings(page, bed.axePath)).toEqual([])
    expect(page.complaints).toEqual([])
  })
})

test('axe finds nothing where people sign in, and in a dialog', async () => {
  const page = await (await bed.newContext()).newPage()
  await page.goto(bed.url)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await axeFindings(page, bed.axePath)).toEqual([])
  const runs = await open('light', '/runs')
  await runs.keyboard.press('?')
  await runs.getByRole('dialog').waitFor()
  expect(await axeFindings(runs, bed.axePath)).toEqual([])
  // It would find something.
  await runs.evaluate("document.querySelector('dialog').append(document.createElement('img'))")
  expect(await axeFindings(runs, bed.axePath)).toEqual(['image-alt: <img>'])
})

test.each(pages)('the page %s fits into 320 pixels', async (_name, path) => {
  const page = await open('narrow', path)
  const widths = await page.evaluate(
    "[document.documentElement, document.querySelector('main')].map((each) => each.scrollWidth)",
  )
  expect(widths).toEqual([320, 320])
})
