import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { at, type RenderedObject } from '../../scripts/chart/compat/chart-snapshot.ts'
import { find, render } from './render.ts'
import { containersOf, variablesOf } from './workload.ts'

const timeout = 60_000
const server = createServer((request, response) => {
  response.writeHead(request.url === '/readyz' ? 200 : 500).end()
})
let pod: RenderedObject
let address: string

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const { objects } = await render({ tests: { enabled: true, timeoutSeconds: 1 } })
  pod = find(objects, 'Pod', 'agents-test')
}, timeout)

afterAll(() => new Promise((resolve) => server.close(resolve)))

/** The test pod's own command, in front of other addresses. */
function runPod(targets: string): Promise<readonly [code: number | null, said: string]> {
  const [container] = containersOf(pod)
  const [, ...flags] = at(container, 'command') as readonly string[]
  const script = at(container, 'args') as readonly string[]
  return new Promise((resolve) => {
    const env = { ...variablesOf(pod), TARGETS: targets }
    const child = spawn(process.execPath, [...flags, ...script], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    child.on('close', (code) => resolve([code, said]))
  })
}

test('asks the Services of the release', () => {
  expect(variablesOf(pod).TARGETS).toBe(
    'http://agents.agents.svc:80/readyz tcp://agents-grpc.agents.svc:50051',
  )
})

test('succeeds where everything answers', { timeout }, async () => {
  const targets = `http://${address}/readyz tcp://${address}`
  expect(await runPod(targets)).toEqual([0, `ok http://${address}/readyz\nok tcp://${address}\n`])
})

test('fails where one does not, and says which', { timeout }, async () => {
  const [code, said] = await runPod(
    `http://${address}/readyz http://${address}/broken tcp://127.0.0.1:1`,
  )
  expect(code).toBe(1)
  expect(said).toMatch(/^ok .*\nFAILED \(status 500\) .*broken\nFAILED \(.*\) tcp:/)
})
