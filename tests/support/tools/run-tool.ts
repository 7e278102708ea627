import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { type Tool, toolPath } from '@agents/chart-tools'

interface RunToolOptions {
  readonly kubeconfig?: string
  readonly stdin?: string
  /** Added to a minimal environment; the caller's environment is never inherited. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** After this time the tool is killed and the result has `timedOut` set. Default 60,000. */
  readonly timeoutMs?: number
  /** Stops the tool early, e.g. a `get --watch` that has shown enough; the result is still returned. */
  readonly signal?: AbortSignal
  readonly onStdout?: (chunk: string) => void
  readonly onStderr?: (chunk: string) => void
}

export interface ToolResult {
  /** Exit code, or 128 + signal number, as in a shell. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
}

/** Runs kubectl or helm with an empty home directory, so that no cache, plugin or kubeconfig of another run is used. */
export async function runTool(
  tool: Tool,
  args: readonly string[],
  options: RunToolOptions = {},
): Promise<ToolResult> {
  const [path, home] = await Promise.all([
    toolPath(...tool),
    mkdtemp(join(tmpdir(), 'agents-tool-')),
  ])
  try {
    return await execute(path, args, { ...options, env: environment(home, options) })
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

function environment(home: string, options: RunToolOptions): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    TMPDIR: home,
    LANG: 'C',
    TZ: 'UTC',
    ...(options.kubeconfig === undefined ? {} : { KUBECONFIG: options.kubeconfig }),
    ...options.env,
  }
}

async function execute(
  path: string,
  args: readonly string[],
  options: RunToolOptions,
): Promise<ToolResult> {
  const child = spawn(path, args, {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // A tool that exits without reading its input breaks the pipe; its exit code is what matters.
  child.stdin.on('error', () => undefined)
  child.stdin.end(options.stdin ?? '')

  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    child.kill('SIGKILL')
  }, options.timeoutMs ?? 60_000)
  const abort = (): void => void child.kill('SIGTERM')
  options.signal?.addEventListener('abort', abort, { once: true })
  if (options.signal?.aborted === true) abort()
  try {
    const [code, stdout, stderr] = await Promise.all([
      exitCode(child),
      text(child.stdout, options.onStdout),
      text(child.stderr, options.onStderr),
    ])
    return { code, stdout, stderr, timedOut }
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', abort)
  }
}

function exitCode(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })
}

async function text(stream: Readable, onChunk?: (chunk: string) => void): Promise<string> {
  const decoder = new StringDecoder('utf8')
  const parts: string[] = []
  for await (const chunk of stream) {
    const part = decoder.write(chunk as Buffer)
    parts.push(part)
    onChunk?.(part)
  }
  return parts.join('')
}
