import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressOf, type ConsoleBed, startConsoleBed } from './console-bed.ts'

let bed: ConsoleBed
let gate: Gate

beforeAll(async () => {
  bed = await startConsoleBed()
  gate = await startGate(Number(new URL(bed.url).port))
})
afterAll(async () => {
  await gate?.stop()
  await bed?.stop()
})

test('a lost connection is shown and heals, and the log has each line once', async () => {
  const flags = ['--agent', 'scripted', '--text', 'x', '--name', 'slow', '--no-wait']
  const slow = ['--param', 'scriptedMode=slow', '--param', 'scriptedDelaySeconds=4']
  const { code } = await bed.platform.agentctl('run', ...flags, ...slow)
  expect(code).toBe(0)
  const page = await bed.openWithToken(`${gate.url}/runs/agents/slow?kind=AgentRun`)
  await page.getByText('reading the task: x').waitFor()
  gate.cut()
  await page.getByText('Connection lost.').waitFor()
  await page.getByText('The log is cut:').waitFor()
  // What was shown stays.
  expect(await page.getByText('reading the task: x').count()).toBe(1)
  gate.heal()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.locator('[data-log-state=ended]').waitFor()
  expect(await page.getByText('Connection lost.').count()).toBe(0)
  const shown = await page.locator('.log-text').allInnerTexts()
  const { stdout } = await bed.platform.agentctl('logs', 'slow')
  const words = ['reading the task: x', 'plan: note it', 'edited', 'committed', 'done']
  const of = (lines: readonly string[]) =>
    lines.filter((line) => words.some((word) => line.startsWith(word)))
  expect(of(shown)).toHaveLength(words.length)
  expect(of(shown)).toEqual(of(stdout.split('\n')))
})

test('changes during an outage are shown after it', async () => {
  const page = await bed.openWithToken(`${gate.url}/runs`)
  await page.getByRole('link', { name: 'first-run' }).waitFor()
  gate.cut()
  await page.getByText('Connection lost.').waitFor()
  const flags = ['--agent', 'scripted', '--text', 'x', '--name', 'meanwhile']
  await bed.platform.agentctl('run', ...flags)
  gate.heal()
  const row = page.getByRole('row').filter({ hasText: 'meanwhile' })
  await row.getByText('Succeeded').waitFor()
  expect(await page.getByRole('link', { name: 'meanwhile' }).count()).toBe(1)
})

test('the platform is killed and started again: pages say so and heal, sessions sign in again', async () => {
  const page = await bed.openWithToken(`${bed.url}/runs`)
  const signedIn = await bed.signIn(undefined, '/runs')
  // A page that is still signing in says something else.
  for (const each of [page, signedIn]) await each.getByText('Live', { exact: true }).waitFor()
  const up = bed.platform.up()
  up.child.kill('SIGKILL')
  await up.finished
  await page.getByText('Connection lost.').waitFor()
  await signedIn.getByText('Connection lost.').waitFor()
  await bed.platform.startAgain()
  expect(addressOf(bed.platform)).toBe(bed.url)
  await page.getByText('Live', { exact: true }).waitFor()
  await bed.platform.agentctl('run', '--agent', 'scripted', '--text', 'x', '--name', 'after')
  await page.getByRole('row').filter({ hasText: 'after' }).getByText('Succeeded').waitFor()
  expect(await page.getByRole('link', { name: 'first-run' }).count()).toBe(1)
  // Sessions live as long as the process: another tab signs in, and the page continues.
  await signedIn.getByRole('heading', { name: 'Sign in' }).waitFor()
  const tab = await signedIn.context().newPage()
  await tab.goto(`${bed.url}/#code=${await bed.code(bed.adminToken)}`)
  await signedIn.getByRole('link', { name: 'after' }).waitFor()
})

test('a log that is open while the platform is killed loses no line, and shows none twice', async () => {
  const flags = ['--agent', 'scripted', '--text', 'x', '--name', 'outlives', '--no-wait']
  const slow = ['--param', 'scriptedMode=slow', '--param', 'scriptedDelaySeconds=6']
  const { code } = await bed.platform.agentctl('run', ...flags, ...slow)
  expect(code).toBe(0)
  const page = await bed.openWithToken(`${bed.url}/runs/agents/outlives?kind=AgentRun`)
  await page.getByText('reading the task: x').waitFor()
  const up = bed.platform.up()
  up.child.kill('SIGKILL')
  await up.finished
  await page.getByText('The log is cut:').waitFor()
  expect(await page.getByText('reading the task: x').count()).toBe(1)
  await bed.platform.startAgain()
  await page.locator('[data-log-state=ended]').waitFor({ timeout: 120_000 })
  const shown = await page.locator('.log-text').allInnerTexts()
  const { stdout } = await bed.platform.agentctl('logs', 'outlives')
  const printed = stdout.split('\n').filter((line) => line !== '')
  expect(printed.length).toBeGreaterThan(0)
  expect(shown.filter((line) => line !== '')).toEqual(printed)
})

interface Gate {
  readonly url: string
  cut(): void
  heal(): void
  stop(): Promise<void>
}

/** Stands before the API, and can be closed as if the network were gone. */
async function startGate(port: number): Promise<Gate> {
  const sockets = new Set<Socket>()
  let isOpen = true
  const server: Server = createServer((socket) => {
    if (!isOpen) return socket.destroy()
    const inner = connect(port, '127.0.0.1')
    for (const each of [socket, inner]) {
      sockets.add(each)
      each.on('error', () => undefined)
      each.on('close', () => {
        sockets.delete(each)
        socket.destroy()
        inner.destroy()
      })
    }
    socket.pipe(inner).pipe(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `https://127.0.0.1:${address.port}`,
    cut: () => {
      isOpen = false
      for (const socket of sockets) socket.destroy()
    },
    heal: () => {
      isOpen = true
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
