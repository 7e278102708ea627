import { execFile } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { env } from 'node:process'
import { expect, test } from 'vitest'
import { ensureAgentCli } from '../../support/testbed/agent-clis.ts'
import { type ApiBed, startApiBed } from './api-bed.ts'

const passing = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-error',
  'resources-list',
  'dns-rebinding-protection',
]

const otherTools = 'it calls a tool of the reference server, which ours does not have'
const noSessions = 'it needs a session, and each message is answered by itself'
const otherResources = 'it reads a resource of the reference server, which ours does not have'
const noPrompts = 'the server offers no prompts'

/** Scenarios about what the server does not say that it can do. `tests/e2e/agentctl/mcp.check.ts` calls its tools. */
const notApplicable: Readonly<Record<string, string>> = {
  'logging-set-level': 'the server sends no log messages',
  'completion-complete': 'the server completes nothing',
  'tools-call-simple-text': otherTools,
  'tools-call-image': otherTools,
  'tools-call-audio': otherTools,
  'tools-call-embedded-resource': otherTools,
  'tools-call-mixed-content': otherTools,
  'json-schema-2020-12': otherTools,
  'tools-call-with-logging': noSessions,
  'tools-call-with-progress': noSessions,
  'tools-call-sampling': noSessions,
  'tools-call-elicitation': noSessions,
  'elicitation-sep1034-defaults': noSessions,
  'elicitation-sep1330-enums': noSessions,
  'server-sse-polling': noSessions,
  'server-sse-multiple-streams': noSessions,
  'resources-subscribe': noSessions,
  'resources-unsubscribe': noSessions,
  'resources-read-text': otherResources,
  'resources-read-binary': otherResources,
  'resources-templates-read': otherResources,
  'prompts-list': noPrompts,
  'prompts-get-simple': noPrompts,
  'prompts-get-with-args': noPrompts,
  'prompts-get-embedded-resource': noPrompts,
  'prompts-get-with-image': noPrompts,
}

test('the official conformance client passes each scenario that applies', async () => {
  const bed = await startApiBed('embedded', { planeCount: 1 })
  const proxy = await startProxy(bed)
  try {
    const { port } = proxy.address() as AddressInfo
    const results = await conformance(`http://127.0.0.1:${port}/mcp`)
    expect([...results.keys()].toSorted()).toEqual(
      [...passing, ...Object.keys(notApplicable)].toSorted(),
    )
    const found = passing.map((name) => [name, results.get(name)])
    expect(found).toEqual(passing.map((name) => [name, { isPassed: true, failed: 0 }]))
  } finally {
    proxy.close()
    proxy.closeAllConnections()
    await bed.stop()
  }
})

interface Result {
  /** A scenario without any check is not. */
  readonly isPassed: boolean
  readonly failed: number
}

/** All scenarios for servers, by name. */
async function conformance(url: string): Promise<Map<string, Result>> {
  const program = join(await ensureAgentCli('mcp-conformance', env), 'bin/conformance')
  const args = [program, 'server', '--url', url, '--suite', 'all']
  // It fails, since there are scenarios that do not apply.
  const text = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { maxBuffer: 16 * 1024 * 1024 }, (_, stdout) =>
      resolve(stdout),
    )
  })
  const lines = text.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/gm)
  return new Map(
    [...lines].map(([, name = '', passed, failed]) => [
      name,
      { isPassed: passed !== '0', failed: Number(failed) },
    ]),
  )
}

/** Adds the token and TLS, which the conformance client cannot. Hosts and origins other than its own are kept. */
async function startProxy({ listener: { port, ca }, tokens }: ApiBed): Promise<Server> {
  const proxy = createServer((incoming, answer) => {
    const own = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const { host, origin } = incoming.headers
    const headers = {
      ...incoming.headers,
      authorization: `Bearer ${tokens.operator}`,
      host: host === own ? `127.0.0.1:${port}` : host,
      ...(origin !== undefined && {
        origin: origin === `http://${own}` ? `https://127.0.0.1:${port}` : origin,
      }),
    }
    const { method, url: path } = incoming
    const asked = httpsRequest(
      { host: '127.0.0.1', servername: 'localhost', port, path, method, ca, headers },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(answer)
      },
    )
    asked.on('error', () => answer.destroy())
    incoming.pipe(asked)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return proxy
}
