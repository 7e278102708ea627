import { startApiServer } from '@agents/apiserver'
import { buildConsole } from '@agents/console'
import { agentRun } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import type { CDPSession, Page } from 'playwright-core'
import { startTestApi } from '../../../services/jangar/src/server/http/testing/test-api.ts'
import { startBrowser } from '../testbed/browser.ts'

const agentRuns = kindRef<KubeObject>(agentRun)

export type MeasuredConsole = Awaited<ReturnType<typeof startMeasuredConsole>>

/** The console in a real Chromium, before an API with many runs. No controller changes them. */
export async function startMeasuredConsole(consoleDir: string) {
  await buildConsole(consoleDir)
  const [{ browser }, api] = await Promise.all([
    startBrowser(),
    startTestApi(startApiServer, { consoleDir }),
  ])
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    viewport: { width: 1280, height: 800 },
    extraHTTPHeaders: { authorization: `Bearer ${api.adminToken}` },
  })
  let count = 0
  return {
    /** Creates runs until there are as many. */
    fill: async (total: number): Promise<void> => {
      const create = async (): Promise<void> => {
        while (count < total) {
          count += 1
          await api.admin.create(agentRuns, runOf(`run-${count}`))
        }
      }
      await Promise.all(Array.from({ length: 16 }, create))
    },
    /** Changes the newest runs at this rate, and returns how many changes were made. */
    change: async (perSecond: number, seconds: number): Promise<number> => {
      const began = performance.now()
      let made = 0
      const due = (): number => ((performance.now() - began) / 1000) * perSecond
      while (performance.now() - began < seconds * 1000) {
        const pending: Promise<unknown>[] = []
        for (; made < due(); made += 1) {
          const name = `run-${count - (made % Math.min(count, 200))}`
          pending.push(api.admin.request(changeOf(name, made)))
        }
        await Promise.all(pending)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      return made
    },
    open: async (path: string): Promise<Page> => {
      const page = await context.newPage()
      await page.goto(`https://127.0.0.1:${api.port}${path}`)
      return page
    },
    stop: async (): Promise<void> => {
      await browser.close()
      await api.stop()
    },
  }
}

function runOf(name: string): KubeObject {
  return {
    ...{ apiVersion: 'agents.proompteng.ai/v1alpha1', kind: 'AgentRun' },
    metadata: { name, namespace: 'red', labels: { team: 'core' } },
    spec: {
      agentRef: { name: 'writer' },
      implementation: { inline: { text: 'x' } },
      runtime: { type: 'job' },
    },
  } as KubeObject
}

function changeOf(name: string, n: number) {
  const phase = ['Pending', 'Running', 'Succeeded', 'Failed'][n % 4]
  return {
    method: 'PATCH' as const,
    path: `/apis/agents.proompteng.ai/v1alpha1/namespaces/red/agentruns/${name}/status`,
    contentType: 'application/merge-patch+json' as const,
    body: { status: { phase } },
  }
}

/** Scrolls the list by wheel, and says how long the page worked for it and what became of the frames. */
export async function measureScroll(page: Page, wheels: number) {
  const devtools = await page.context().newCDPSession(page)
  const frames = await traceFrames(devtools)
  const before = await taskSeconds(devtools)
  await page.locator('.list').hover()
  for (let wheel = 0; wheel < wheels; wheel += 1) {
    await page.mouse.wheel(0, 400)
    await page.waitForTimeout(32)
  }
  await page.waitForTimeout(300)
  const seconds = (await taskSeconds(devtools)) - before
  return { seconds, ...(await frames()) }
}

/** How long the main thread has worked, without the time in which other processes had its core. */
async function taskSeconds(devtools: CDPSession): Promise<number> {
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  const { metrics } = await devtools.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
}

interface Frames {
  readonly drawn: number
  /** Nothing of the frame was shown. */
  readonly dropped: number
  /** The list moved in time, and what the page made of it came a frame later. */
  readonly late: number
}

/** Counts frames until the returned function is called. */
async function traceFrames(devtools: CDPSession): Promise<() => Promise<Frames>> {
  const frames = { drawn: 0, dropped: 0, late: 0 }
  devtools.on('Tracing.dataCollected', ({ value }) => {
    for (const { name, args } of value as unknown as readonly TraceEvent[]) {
      if (name === 'DrawFrame') frames.drawn += 1
      if (name === 'DroppedFrame') frames[args?.hasPartialUpdate ? 'late' : 'dropped'] += 1
    }
  })
  await devtools.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['disabled-by-default-devtools.timeline.frame'] },
  })
  return async () => {
    const complete = new Promise((resolve) => devtools.once('Tracing.tracingComplete', resolve))
    await devtools.send('Tracing.end')
    await complete
    return frames
  }
}

interface TraceEvent {
  readonly name: string
  readonly args?: { readonly hasPartialUpdate?: boolean }
}

/** What the machine and its browser without a graphics card can do at all, at this moment. */
const plainList = `
  const list = document.createElement('pre')
  list.className = 'list'
  list.style = 'height: 700px; overflow: auto; margin: 0; line-height: 34px'
  list.textContent = Array.from({ length: 10000 }, (_, index) => 'run-' + index).join('\\n')
  document.body.replaceChildren(list)
`

/** Scrolls 10,000 lines of text, each as high as a run. */
export async function measurePlainScroll(measured: MeasuredConsole, wheels: number) {
  const page = await measured.open('/livez')
  await page.evaluate(plainList)
  const figures = await measureScroll(page, wheels)
  await page.close()
  return figures
}

/** Counts how often the list is drawn again. A text, since it runs in the browser. */
const countDraws = `
  window.draws = 0
  new MutationObserver(() => { window.draws += 1 }).observe(document.querySelector('.list-body'), {
    subtree: true, childList: true, characterData: true, attributes: true,
  })
`

/** What the page does while runs change. */
export async function measureChanges(
  page: Page,
  change: () => Promise<number>,
): Promise<{ readonly changes: number; readonly draws: number; readonly share: number }> {
  const devtools = await page.context().newCDPSession(page)
  await page.evaluate(countDraws)
  const before = await taskSeconds(devtools)
  const began = performance.now()
  const changes = await change()
  const seconds = (performance.now() - began) / 1000
  const worked = (await taskSeconds(devtools)) - before
  const draws = (await page.evaluate('window.draws')) as number
  return { changes, draws, share: worked / seconds }
}
