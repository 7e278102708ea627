import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type HealthCheck, systemClock } from '@agents/controller'
import { createLogger } from '@agents/log'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { at, type RenderedObject } from '../../scripts/chart/compat/chart-snapshot.ts'
import { createGrpcServer } from '../../services/jangar/src/server/grpc/create-grpc-server.ts'
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
    'http://agents.agents.svc:80/readyz grpc://agents-grpc.agents.svc:50051',
  )
})

test('succeeds where everything answers', { timeout }, async () => {
  const grpc = `grpc://${await serveGrpc(() => undefined)}`
  const targets = `http://${address}/readyz ${grpc}`
  expect(await runPod(targets)).toEqual([0, `ok http://${address}/readyz\nok ${grpc}\n`])
})

test('fails where one does not, and says which', { timeout }, async () => {
  const unready = await serveGrpc(() => {
    throw new Error('not yet')
  })
  const [code, said] = await runPod(
    [
      `http://${address}/readyz`,
      `http://${address}/broken`,
      'grpc://127.0.0.1:1',
      `grpc://${unready}`,
      // It listens, and speaks something else.
      `grpc://${address}`,
    ].join(' '),
  )
  expect(code).toBe(1)
  const [first, ...others] = said.trimEnd().split('\n')
  expect(first).toBe(`ok http://${address}/readyz`)
  expect(others).toEqual([
    expect.stringMatching(/^FAILED \(status 500\) .*broken$/),
    expect.stringMatching(/^FAILED \(.*\) grpc:.*:1$/),
    `FAILED (not serving) grpc://${unready}`,
    expect.stringMatching(/^FAILED \(.*\) grpc:/),
  ])
})

/** The server of the control plane, as ready as this says. Resolves with where it listens. */
async function serveGrpc(check: HealthCheck): Promise<string> {
  const nobody = () => Promise.reject(new Error('no cluster'))
  const stop = new AbortController()
  const grpc = createGrpcServer({
    config: { host: '127.0.0.1', port: 0, token: 'not-a-real-token' },
    info: { version: '0', buildSha: undefined, buildTime: undefined },
    status: {
      client: {
        get: nobody,
        discovery: {
          resources: nobody,
          supports: nobody,
          version: nobody,
          invalidate: () => undefined,
        },
      },
      lease: undefined,
      runsControllers: false,
      namespaces: [],
      cachesFilled: () => true,
      database: undefined,
    },
    readiness: { check },
    stopping: stop.signal,
    log: createLogger({ sink: { write: () => undefined } }),
    clock: systemClock,
  })
  await grpc.start()
  const running = grpc.run(stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await running
  })
  return grpc.address
}
