import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kubeconfigText } from '../testbed/kubeconfig.ts'
import { runTool } from '../tools/run-tool.ts'
import { normalise } from './normalise.ts'
import type { Server, Stage } from './server.ts'
import { splitCommand } from './split-command.ts'
import type { Step, Story } from './story.ts'

export type KubectlVersion = '1.32' | '1.36'

/** What a terminal would show: each command, what it printed and its exit code, without what differs from run to run. */
export async function tellStory(
  story: Story,
  server: Server,
  version: KubectlVersion,
  { pair, kubeletPort }: Pick<Stage, 'pair' | 'kubeletPort'>,
): Promise<string[]> {
  const home = await mkdtemp(join(tmpdir(), 'agents-kubectl-'))
  const namespace = `${story.name}-${version.replace('.', '-')}`
  const terminal: Terminal = { server, version, home, namespace, kubeletPort }
  try {
    await writeFile(join(home, 'tls.crt'), pair.certificate)
    await writeFile(join(home, 'tls.key'), pair.key, { mode: 0o600 })
    const transcript: string[] = []
    for (const step of [`create namespace ${namespace}`, ...story.steps]) {
      transcript.push(...(await runStep(terminal, step)))
    }
    return transcript
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

interface Terminal {
  readonly server: Server
  readonly version: KubectlVersion
  /** Kept for the whole story, as somebody's would be: discovery is cached there. */
  readonly home: string
  readonly namespace: string
  readonly kubeletPort: number
}

async function runStep(terminal: Terminal, written: Step | string): Promise<string[]> {
  const step = typeof written === 'string' ? { command: written } : written
  const { command, stdin, until, meanwhile = [] } = step
  const fill = (text: string) =>
    text.replaceAll('$NS', terminal.namespace).replaceAll('$KUBELET', String(terminal.kubeletPort))
  const stop = new AbortController()
  let seen = ''
  let asked = ''
  let isWaiting: () => void = () => undefined
  const waiting = new Promise<void>((resolve) => {
    isWaiting = resolve
  })
  // Then it tells of each answer, in lines that are no part of the story.
  const verbose = meanwhile.length > 0 ? ['-v=6'] : []
  const words = [...splitCommand(fill(command)), ...verbose]
  const running = runTool(['kubectl', terminal.version], words, {
    kubeconfig: await kubeconfigOf(terminal, step.token),
    cwd: terminal.home,
    env: await environmentOf(terminal, step),
    timeoutMs: 180_000,
    signal: stop.signal,
    ...(stdin === undefined ? {} : { stdin: fill(stdin) }),
    onStdout: (chunk) => {
      seen += chunk
      if (isEnough(seen, until)) stop.abort()
    },
    onStderr: (chunk) => {
      asked += chunk
      if (/watch=true[^\n]*200 OK|404 Not Found/.test(asked)) isWaiting()
    },
  })
  const others: string[] = []
  if (meanwhile.length > 0) {
    await Promise.race([waiting, running])
    for (const other of meanwhile) others.push(...(await runStep(terminal, other)))
  }
  const { code, stdout, stderr, timedOut } = await running
  const show = (text: string): string => shown(text, terminal, step)
  const ending = timedOut ? 'did not end' : isEnough(seen, until) ? 'stopped' : `exit ${code}`
  return [`$ kubectl ${command}\n${show(stdout)}${show(stderr)}[${ending}]`, ...others]
}

/** A line comes in pieces, and is not cut off after the one that tells. */
function isEnough(seen: string, until: RegExp | undefined): boolean {
  const lines = seen.slice(0, seen.lastIndexOf('\n') + 1)
  return lines !== '' && until?.test(lines) === true
}

function shown(text: string, { server, home }: Terminal, { unordered, except }: Step): string {
  const plain = normalise(text, server.url, home)
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
  { editor }: Step,
): Promise<Record<string, string>> {
  if (editor === undefined) return { HOME: home, TMPDIR: home }
  const script = join(home, 'editor.sh')
  await writeFile(script, `#!/bin/sh\nset -e\n${editor}\n`)
  await chmod(script, 0o700)
  return { HOME: home, TMPDIR: home, KUBE_EDITOR: script }
}
