import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../support/testbed/free-port.ts'
import { kubeconfigText } from '../../support/testbed/kubeconfig.ts'
import { runTool } from '../../support/tools/run-tool.ts'
import { exchangeThrough } from './exchange.ts'
import { normalise } from './normalise.ts'
import type { Scenario, Step } from './scenario.ts'
import type { Server, Stage } from './server.ts'
import { splitCommand } from './split-command.ts'

export type KubectlVersion = '1.32' | '1.36'

/** The transcript of a story: each command, its output and its exit code, without what differs from run to run. */
export async function playScenario(
  scenario: Scenario,
  server: Server,
  version: KubectlVersion,
  { pair, kubeletPort }: Pick<Stage, 'pair' | 'kubeletPort'>,
): Promise<string[]> {
  const home = await mkdtemp(join(tmpdir(), 'agents-kubectl-'))
  const namespace = `${scenario.name}-${version.replace('.', '-')}`
  const port = await freePort()
  const terminal: Terminal = { server, version, home, namespace, kubeletPort, port }
  try {
    await writeFile(join(home, 'tls.crt'), pair.certificate)
    await writeFile(join(home, 'tls.key'), pair.key, { mode: 0o600 })
    const transcript: string[] = []
    for (const step of [`create namespace ${namespace}`, ...scenario.steps]) {
      transcript.push(...(await runStep(terminal, step)))
    }
    // The pair differs from run to run.
    return transcript.map((text) =>
      text
        .replaceAll(base64(pair.certificate), 'TLS-CERTIFICATE')
        .replaceAll(base64(pair.key), 'TLS-KEY'),
    )
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

interface Terminal {
  readonly server: Server
  readonly version: KubectlVersion
  /** Kept for the whole story, like a user's: discovery is cached there. */
  readonly home: string
  readonly namespace: string
  readonly kubeletPort: number
  /** For servers of the story. */
  readonly port: number
}

async function runStep(terminal: Terminal, written: Step | string): Promise<string[]> {
  const step = typeof written === 'string' ? { command: written } : written
  const { command, until, meanwhile = [] } = step
  const fill = (text: string) =>
    text
      .replaceAll('$NS', terminal.namespace)
      .replaceAll('$KUBELET', String(terminal.kubeletPort))
      .replaceAll('$PORT', String(terminal.port))
      .replaceAll('$NODE', process.execPath)
  const stdin = await inputOf(terminal, step, fill)
  const stop = new AbortController()
  let seen = ''
  let exchanged: Promise<string> | undefined
  let request = ''
  let isWaiting: () => void = () => undefined
  const waiting = new Promise<void>((resolve) => {
    isWaiting = resolve
  })
  // Makes kubectl log each response, in lines that are not part of the transcript.
  const verbose = meanwhile.length > 0 ? ['-v=6'] : []
  const words = [...splitCommand(fill(command)), ...verbose]
  const running = runTool(['kubectl', terminal.version], words, {
    kubeconfig: await kubeconfigOf(terminal, step.token),
    cwd: terminal.home,
    env: await environmentOf(terminal, step),
    timeoutMs: 180_000,
    signal: stop.signal,
    ...(stdin === undefined ? {} : { stdin }),
    onStdout: (chunk) => {
      seen += chunk
      if (isEnough(seen, until)) stop.abort()
      if (step.exchange === undefined || exchanged !== undefined) return
      exchanged = exchangeThrough(seen, step.exchange)
      void exchanged?.finally(() => stop.abort())
    },
    onStderr: (chunk) => {
      request += chunk
      if (/watch=true[^\n]*200 OK|404 Not Found/.test(request)) isWaiting()
    },
  })
  const others: string[] = []
  if (meanwhile.length > 0) {
    await Promise.race([waiting, running])
    for (const other of meanwhile) others.push(...(await runStep(terminal, other)))
  }
  const { code, stdout, stderr, timedOut } = await running
  const show = (text: string): string => normalised(text, terminal, step)
  const isStopped = isEnough(seen, until) || exchanged !== undefined
  const ending = timedOut ? 'did not end' : isStopped ? 'stopped' : `exit ${code}`
  if (exchanged !== undefined) others.push(`received: ${await exchanged}`)
  const source = step.stdinFrom === undefined ? '' : `kubectl ${step.stdinFrom} | `
  return [`$ ${source}kubectl ${command}\n${show(stdout)}${show(stderr)}[${ending}]`, ...others]
}

async function inputOf(
  terminal: Terminal,
  { stdin, stdinFrom, stdinFile }: Step,
  fill: (text: string) => string,
): Promise<string | undefined> {
  if (stdinFile !== undefined) return readFile(join(terminal.home, stdinFile), 'utf8')
  if (stdinFrom === undefined) return stdin === undefined ? undefined : fill(stdin)
  const words = splitCommand(fill(stdinFrom))
  const { stdout } = await runTool(['kubectl', terminal.version], words, {
    kubeconfig: await kubeconfigOf(terminal),
    cwd: terminal.home,
    env: await environmentOf(terminal, { command: stdinFrom }),
    timeoutMs: 180_000,
  })
  return stdout
}

/** Variables that make kubectl use SPDY instead of WebSockets. */
const spdyOnly = {
  KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false',
  KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false',
}

/** A line arrives in pieces; the command is not stopped in the middle of the one that matches. */
function isEnough(seen: string, until: RegExp | undefined): boolean {
  const lines = seen.slice(0, seen.lastIndexOf('\n') + 1)
  return lines !== '' && until?.test(lines) === true
}

function normalised(
  text: string,
  { server, home, port }: Terminal,
  { unordered, except }: Step,
): string {
  const plain = normalise(text.replaceAll(String(port), 'PORT'), server.url, home)
  const agreed = except === undefined ? plain : plain.replaceAll(except.pattern, '')
  return unordered === true ? `${agreed.split('\n').filter(Boolean).sort().join('\n')}\n` : agreed
}

async function kubeconfigOf(
  { server, home, namespace }: Terminal,
  token: string = server.adminToken,
): Promise<string> {
  const path = join(home, `${token === server.adminToken ? 'admin' : token}.kubeconfig`)
  const { url, caPem } = server
  await writeFile(path, kubeconfigText({ url, caPem, token, namespace }), { mode: 0o600 })
  return path
}

async function environmentOf(
  { home }: Terminal,
  { editor, spdy }: Step,
): Promise<Record<string, string>> {
  if (editor === undefined) return { HOME: home, TMPDIR: home, ...(spdy === true ? spdyOnly : {}) }
  const script = join(home, 'editor.sh')
  await writeFile(script, `#!/bin/sh\nset -e\n${editor}\n`)
  await chmod(script, 0o700)
  return { HOME: home, TMPDIR: home, KUBE_EDITOR: script }
}
